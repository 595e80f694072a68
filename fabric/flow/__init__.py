"""Blocks and how they snap together: kinds, steps, wiring, capabilities, and the context a running block is handed."""
