"""The verbs of one transaction over DuckDB: reading, writing and finding rows. Checks of a file stand in check."""
