"""Each step of a memory's communities as a block of its own, and what asks a model about them.

Not here: the graph, how groups are found in it, and how both are searched (``capabilities/communities``).
"""

from .steps import build_block, built_at, global_answer_block, global_search_block, local_search_block

__all__ = ["build_block", "built_at", "global_answer_block", "global_search_block", "local_search_block"]
