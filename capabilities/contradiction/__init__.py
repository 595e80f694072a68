"""Contradiction without a model: which texts differ in a value, which slot a text fills, which entry it replaces."""

from .changes import changes_value, dates, negated, numbers, rival_names
from .claims import same_claim
from .endings import only_ends
from .relations import called
from .replaced import Existing, find_replaced, restates
from .slots import Filled, slot_of

__all__ = [
    "Existing",
    "Filled",
    "called",
    "changes_value",
    "dates",
    "find_replaced",
    "negated",
    "numbers",
    "only_ends",
    "restates",
    "rival_names",
    "same_claim",
    "slot_of",
]
