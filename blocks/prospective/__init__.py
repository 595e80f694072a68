"""Each step of a prospective memory as a block of its own."""

from .steps import check_block, remind_block

__all__ = ["check_block", "remind_block"]
