"""How forgetting finds what has to go: links between rows, the circle of what they tie together, and the texts left."""
