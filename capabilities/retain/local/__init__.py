"""Banks that are kept in this file: memories as rows, what they state as facts, found by the one ranker.

What lives here: what a memory is (`record`), where memories and facts are kept (`tables`), taking memories in
(`writing`), facts drawn from them (`facts`), finding (`finding`), changing (`editing`), what is done behind a reply
(`upkeep`, `joining`), and `backend`, which is all of it behind the seam. What does not: the ranker itself
(``capabilities/retrieval``), and what asks a model (``blocks/retain``).
"""

from .backend import LocalBackend
from .facts import Read
from .joining import Slept
from .record import Memory
from .tables import LOCAL_RESOURCES

__all__ = ["LOCAL_RESOURCES", "LocalBackend", "Memory", "Read", "Slept"]
