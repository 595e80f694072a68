"""Searching in memory: postings, columns and vectors of one scope's rows as arrays. No database, no ranking."""
