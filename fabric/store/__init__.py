"""Where rows are kept: the seam to a database, and the DuckDB file behind it."""
