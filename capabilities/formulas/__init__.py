"""Pure formulas: numbers and words in, numbers out. Each names its equation, its units, its source and one example."""
