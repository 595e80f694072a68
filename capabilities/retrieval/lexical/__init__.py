"""Ranking by words: BM25, spellings and terms of like meaning. Vectors are ranked in the room above."""
