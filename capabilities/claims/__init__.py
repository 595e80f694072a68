"""What a memory says, as data: claims, the reader of stated sentences, and the one judge of what is the same."""

from .asked import asked_attributes, asks_for_profile
from .attributes import ATTRIBUTES, LANGUAGES, OTHER, Attribute
from .compare import compare, is_single, says_change
from .read import claim_of, read, subject_key
from .record import USER, Claim, Claimed, Polarity, Verdict
from .slots import Place, place, rival_slots, slot

__all__ = [
    "ATTRIBUTES",
    "LANGUAGES",
    "OTHER",
    "USER",
    "Attribute",
    "Claim",
    "Claimed",
    "Place",
    "Polarity",
    "Verdict",
    "asked_attributes",
    "asks_for_profile",
    "claim_of",
    "compare",
    "is_single",
    "place",
    "read",
    "rival_slots",
    "says_change",
    "slot",
    "subject_key",
]
