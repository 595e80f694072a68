"""The six memory tools: a model adds, corrects, deletes, merges, searches and tidies what it remembers."""

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
