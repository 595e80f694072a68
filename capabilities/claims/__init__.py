"""What a memory says, as data: claims, the reader of stated sentences, and the one judge of what is the same."""

from .attributes import ATTRIBUTES, LANGUAGES, OTHER, Attribute
from .compare import compare, is_single, says_change
from .read import claim_of, read, subject_key
from .record import USER, Claim, Claimed, Polarity, Verdict

__all__ = [
    "ATTRIBUTES",
    "LANGUAGES",
    "OTHER",
    "USER",
    "Attribute",
    "Claim",
    "Claimed",
    "Polarity",
    "Verdict",
    "claim_of",
    "compare",
    "is_single",
    "read",
    "says_change",
    "subject_key",
]
