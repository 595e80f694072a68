"""Times in words: a user's zone, the moment that a text means there, and how something recurs. Nothing of the store."""
