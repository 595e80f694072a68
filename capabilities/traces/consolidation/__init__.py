"""Tidying traces: near-duplicates, what is too weak, what settles, in six steps. The parts are pure."""
