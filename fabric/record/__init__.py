"""What was said and done in a session: items, events, history, and what becomes of what is forgotten. No blocks."""
