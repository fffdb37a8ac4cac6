"""Lesson 2: how a word becomes a row of numbers, and why near rows mean near words."""
