"""The course: lessons whose diagrams are computed live by a small engine."""
