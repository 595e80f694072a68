"""The three tiers together: what a memory system consists of, its state, and recall across the tiers.

Not here: each tier by itself (``working``, ``episodic``, ``semantic``), and how rows are ranked (``retrieval``).
"""
