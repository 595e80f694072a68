"""Observing a conversation: a durable buffer of what was said, notes on it, and what becomes of the notes.

Not here: who asks the model (``blocks/cognitive/observing.py``), what was said word for word (``capabilities/turns``),
and the Markdown that an agent writes for itself (``capabilities/traces/notes.py``).
"""
