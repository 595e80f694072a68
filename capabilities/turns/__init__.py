"""Turns: the raw words of every captured message, kept whole; facts and episodes are keys that lead back to them.

Not here: what is drawn from them (``blocks/capture``), and the session's own record of items (``fabric/record``).
"""

from .record import Exchange, Turn, create_turns_resource, tag_term, turns_behind

__all__ = ["Exchange", "Turn", "create_turns_resource", "tag_term", "turns_behind"]
