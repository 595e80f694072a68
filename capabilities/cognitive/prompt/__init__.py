"""The part of the memory that a prompt gets: its lines, its sections, its budget. Nothing of the store."""
