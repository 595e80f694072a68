"""Runs under way: what they record, the background work they leave, and what they share. No file is opened."""
