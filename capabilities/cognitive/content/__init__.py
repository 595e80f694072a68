"""What a text holds, as encoding reads it: features, tone, and whom and what it names. Nothing of the store."""
