"""The generator: what it says to its model, the tools it offers, and the loop between the two."""
