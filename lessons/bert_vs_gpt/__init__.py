"""Lesson 4: why language models split into readers and writers, and why writing won."""
