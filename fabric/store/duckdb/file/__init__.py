"""The DuckDB file itself: opening it, its log, its place on disk, and how what is in it is saved. No rows."""
