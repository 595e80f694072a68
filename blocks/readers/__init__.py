"""Reading what a user says without a model: sentences and readings are data beside the code, what is left is claims.

Not here: what a claim is and which attribute it has (``capabilities/claims``), and what stores what was read
(``blocks/capture``).
"""
