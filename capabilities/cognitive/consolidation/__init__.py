"""What happens to a memory between turns: five steps and the mechanisms, over the traces that a session sees.

Not here: the six steps of ``memory_reflect`` (``../../traces/consolidation/``), which melt what says the same and
derive insights; the formulas (``../../formulas/in_sleep.py``); who asks models (``blocks/cognitive/consolidation.py``).
"""
