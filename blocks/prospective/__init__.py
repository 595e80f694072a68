"""Each step of a prospective memory as a block of its own.

Not here: what an intention is, how its time is read and when it is due (``capabilities/prospective``).
"""

from .steps import check_block, remind_block

__all__ = ["check_block", "remind_block"]
