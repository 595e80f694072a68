"""The part of the memory that a prompt gets: its lines, its sections, its budget; only `collecting` reads the store."""
