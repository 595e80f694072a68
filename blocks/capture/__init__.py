"""A turn is taken in: kept, observed, reflected and over. What facts become later stands in consolidation."""
