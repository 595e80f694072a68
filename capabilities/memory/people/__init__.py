"""Whom a cue asks about: the asker, somebody by name or relation, and what is asked of them. Nothing is ranked."""
