"""Searching traces: queries, BM25 over the indexes in memory, whom a trace is visible to. Nothing is written."""
