"""Pure formulas: numbers and words in, numbers out. Each names its equation, its units, its source and one example.

Not here: reading and writing the records that they are applied to, and how a recall is ranked
(``capabilities/retrieval``).
"""
