"""Values of claims: when two are one, amounts, places and what is due. Which attribute they belong to is not asked."""
