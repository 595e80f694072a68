"""Checks of a file and what mends it: its form, its blocks, and what its rows are found by."""
