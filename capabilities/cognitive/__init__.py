"""The cognitive memory: encoding, forgetting, retrieval, slots, graph and prompt.

Not here: the traces themselves (``traces/``), and the formulas (``formulas/``).
"""
