"""Turns: the raw words of every captured message, kept whole; facts and episodes are keys that lead back to them."""

from .behind import turns_behind
from .record import Exchange, Turn, create_turns_resource, tag_term

__all__ = ["Exchange", "Turn", "create_turns_resource", "tag_term", "turns_behind"]
