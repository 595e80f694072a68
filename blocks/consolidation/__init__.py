"""The set of facts as a whole: distilling episodes and pruning, by a model or by rules. No turn is read here."""
