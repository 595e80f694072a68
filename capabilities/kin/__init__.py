"""Kin and acquaintances: the words for them in many languages, and reading whom a text means by them."""
