"""Relations: the words for kin and acquaintances in many languages, and reading whom a text means by them."""
