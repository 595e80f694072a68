"""Traces: what an agent remembers of its own accord, with tools to add, correct, search and tidy."""
