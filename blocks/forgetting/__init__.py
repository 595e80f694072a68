"""How forgetting finds what has to go: links between rows, the circle of what they tie together, and the texts left.

Not here: forgetting over time, which deletes no fact (``capabilities/formulas``), and the facts that a model or rules
find to be of no use (``blocks/consolidation``).
"""
