"""The back end over DuckDB, and the only place with SQL: the store, its tables, backups and copies."""
