"""The lessons: one folder each, and nothing that all of them share."""
