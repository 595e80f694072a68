"""Witnesses: one event as several agents remember it, each in its own words and its own memory.

Not here: who asks a model to tell it (``blocks/cognitive/witnessing.py``), and the archive that keeps the event as it
was (``capabilities/traces/archive.py``).
"""
