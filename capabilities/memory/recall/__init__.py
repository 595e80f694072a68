"""Recall across the tiers: what may be asked, which rows are eligible, how they are judged. Ranking is in retrieval."""
