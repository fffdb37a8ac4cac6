"""Lesson 1: how every word looks at every other word in one step."""
