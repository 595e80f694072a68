"""Eight mechanisms beside encoding and decay: what using, encoding, prompting and consolidating do to traces.

Not here: their formulas (``../../formulas/after_recall.py``, ``in_sleep.py``), and the five steps of a consolidation
(``../consolidation/``).
"""
