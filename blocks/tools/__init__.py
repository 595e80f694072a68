"""The six memory tools: a model adds, corrects, deletes, merges, searches and tidies what it remembers.

Not here: the traces that they work on (``capabilities/traces``), the tools of the agent mind (``capabilities/mind``),
and those of banks (``blocks/retain``).
"""

from .pack import MemoryTools, memory_tools
from .shapes import Added, Deleted, Merged, Reflected, SearchResult, SearchResults, Updated

__all__ = [
    "Added",
    "Deleted",
    "MemoryTools",
    "Merged",
    "Reflected",
    "SearchResult",
    "SearchResults",
    "Updated",
    "memory_tools",
]
