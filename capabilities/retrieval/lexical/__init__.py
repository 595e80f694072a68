"""Ranking by words: BM25, spellings and terms of like meaning. How vectors are ranked is in the folder above."""
