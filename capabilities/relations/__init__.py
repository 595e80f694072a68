"""Relations: the words for kin and acquaintances in many languages, and reading whom a text means by them.

Not here: whom a cue asks about among those remembered (``capabilities/memory/people``), and relations between entities
of a graph (``capabilities/communities``).
"""
