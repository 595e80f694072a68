"""Reading what a user says without a model: sentences and readings are data beside the code, what is left is claims."""
