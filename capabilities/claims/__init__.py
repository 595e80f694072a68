"""What a memory says, as data: claims, the reader of stated sentences, and the one judge of what is the same.

Not here: reading chat without a model (``blocks/readers``), and closing the version of a fact that a claim supersedes
(``capabilities/semantic``).
"""

from .asked import asked_attributes, asks_for_profile
from .attributes import ATTRIBUTES, LANGUAGES, OTHER, Attribute
from .compare import compare, fuller, is_single, overtaken, says_change
from .identity import name_of, named_so, subject_key, user_id, user_subject
from .known import Known, find_replaced, fullest, grouped, known_of
from .read import claim_of, fields, read, read_as
from .record import USER, Claim, Claimed, ClaimFields, Polarity, Verdict
from .slot_keys import SlotParts, place, rival_slots, slot

__all__ = [
    "ATTRIBUTES",
    "LANGUAGES",
    "OTHER",
    "USER",
    "Attribute",
    "Claim",
    "ClaimFields",
    "Claimed",
    "Known",
    "Polarity",
    "SlotParts",
    "Verdict",
    "asked_attributes",
    "asks_for_profile",
    "claim_of",
    "compare",
    "fields",
    "find_replaced",
    "fuller",
    "fullest",
    "grouped",
    "is_single",
    "known_of",
    "name_of",
    "named_so",
    "overtaken",
    "place",
    "read",
    "read_as",
    "rival_slots",
    "says_change",
    "slot",
    "subject_key",
    "user_id",
    "user_subject",
]
