"""Benches of recall: real conversations, tuning, speed, and other systems on the same texts."""
