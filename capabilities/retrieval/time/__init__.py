"""Ranking by time: spans named in a question, and what was said last. Words for days are data beside the code."""
