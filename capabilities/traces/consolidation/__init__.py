"""Tidying traces: near-duplicates, what is too weak, what settles, in six steps. The parts are pure.

Not here: the consolidation of a cognitive memory (``capabilities/cognitive/consolidation``), and what asks a model for
insights (``blocks/insight.py``).
"""
