"""Lesson 5: why networks that read in order gave way to networks that look around."""
