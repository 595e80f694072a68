"""The steps of the memory: observe, reflect, tick, consolidate, prune, and their prompts."""
