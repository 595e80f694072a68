"""Formulas a scientist can read: numbers and words in, numbers out; no clock, no chance, nothing of the engine."""
