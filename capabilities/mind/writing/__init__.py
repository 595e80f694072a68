"""Writing ahead and flushing: what a run's writes do to its draft, and the draft to the store. Nothing is read."""
