"""Adapters: the memory in the shape that another library expects. Import the one you need; each needs its extra."""
