"""The three tiers together: what a memory system consists of, its state, and recall across the tiers."""
