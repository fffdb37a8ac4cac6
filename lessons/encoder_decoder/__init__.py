"""Lesson 3: one mask makes the difference between reading a sentence and writing one."""
