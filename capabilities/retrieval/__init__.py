"""Ranking: from a question and the numbers that the store keeps of every row, to the rows that answer it."""
