"""What a block may be given: the memory tiers as capabilities, and the formulas beneath them."""
