"""The agent mind: goals, beliefs and reflections that an agent keeps between its runs.

Not here: facts about users (``capabilities/semantic``), and the formula that a mind's entries are
ranked by (``capabilities/formulas/mind_score.py``).
"""

from .capability import MindScope, mind
from .config import DEFAULT_MIND_CONFIG, MindConfig, MindTtlDefaults
from .ephemeral import InMemoryProvider
from .live_mind import Mind
from .provider import Likenesses, MindProvider, MindTable, Wanted
from .record import (
    Believed,
    Done,
    GoalSet,
    MindBelief,
    MindEntry,
    MindFailure,
    MindGoal,
    MindRecallResult,
    MindReflection,
    MindStatus,
    Reflected,
    ScoreParts,
)
from .similarity import meets, word_similarity
from .store import StoreProvider
from .writing.draft import DraftOperation

__all__ = [
    "DEFAULT_MIND_CONFIG",
    "Believed",
    "Done",
    "DraftOperation",
    "GoalSet",
    "InMemoryProvider",
    "Likenesses",
    "Mind",
    "MindBelief",
    "MindConfig",
    "MindEntry",
    "MindFailure",
    "MindGoal",
    "MindProvider",
    "MindRecallResult",
    "MindReflection",
    "MindScope",
    "MindStatus",
    "MindTable",
    "MindTtlDefaults",
    "Reflected",
    "ScoreParts",
    "StoreProvider",
    "Wanted",
    "meets",
    "mind",
    "word_similarity",
]
