"""How a cognitive memory is set up: personality, constants, and how fast its traces fade."""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from fabric.narrowing import is_mapping

from ..formulas.activation import Spread
from ..formulas.bounds import checked_number
from ..formulas.encoding import EncodingRates
from ..formulas.personality import Traits
from ..formulas.priority import WEIGHTS, Signals
from ..formulas.prompt_budget import SHARES, Shares
from ..formulas.retention import PROTECTED_INTENSITY
from ..hypothesis import REPLY_SECONDS
from ..settings import Settings
from ..vocabulary import Unit
from .consolidation.config import ConsolidationConfig
from .mechanisms.config import OFF, Mechanisms
from .observing.config import ObserverConfig, ReflectorConfig

HOUR = 3_600.0
"""Seconds."""
CENTURY = 876_000.0
"""Hours: the longest of the times that a profile names, so that dates stay in the calendar."""


class Profile(Settings):
    """How fast traces fade, in hours.

    ``base_hours`` is the stability of a trace without any strength; one of strength S lasts ``1 + 6 S`` times as long.
    ``time`` says what counts as elapsed: ``wall`` all time, ``awake`` only the time in which the memory was in use.
    """

    base_hours: float = Field(gt=0, le=CENTURY)
    interval_hours: float = Field(default=1.0, gt=0, le=CENTURY)
    """Until a new trace is due to be repeated."""
    recency_hours: float = Field(default=24.0, gt=0, le=CENTURY)
    """After which the signal of recency is 1/e."""
    time: Literal["wall", "awake"] = "wall"
    rehearses: Literal["due", "used"] = "due"
    """What a consolidation repeats: whatever is due, or of it only what was of use, once for each use."""


PROFILES: Mapping[str, Profile] = {
    "as_specified": Profile(base_hours=1.0),
    "daily": Profile(base_hours=48.0, interval_hours=24.0, recency_hours=72.0, rehearses="used"),
}
"""``as_specified`` has the numbers of the specification: a plain trace is gone 4.8 hours after it was encoded.

In ``daily`` one is gone after ten days unless it was used; one that is used once a week stays, and a flashbulb is there
for months: see ``notebooks/04_cognitive_memory.ipynb``, where the curves are drawn.
"""


def _profile(given: Any) -> Any:
    if isinstance(given, str):
        if given not in PROFILES:
            raise ValueError(f"no profile is named {given!r}: expected one of {', '.join(PROFILES)}, or a Profile")
        return PROFILES[given]
    return given


def signals_of(given: Any) -> Any:
    """Return the signals that a mapping gives by name; ValueError for a name or a weight that cannot be."""
    if is_mapping(given):
        known = {name: getattr(WEIGHTS, name) for name in Signals.__slots__}
        unknown = given.keys() - known.keys()
        if unknown:
            told = ", ".join(sorted(map(str, unknown)))
            raise ValueError(f"no signal is named {told}: expected some of {', '.join(known)}")
        weights = {**known, **{name: checked_number(name, weight) for name, weight in given.items()}}
        wrong = next((name for name, weight in weights.items() if not 0 <= weight < math.inf), None)
        if wrong is not None:
            raise ValueError(f"{wrong} is {weights[wrong]}: expected a weight of at least 0")
        return Signals(**weights)
    return given


Weights = Annotated[Signals, BeforeValidator(signals_of)]
"""What each signal counts; in a mapping those that are not named count what they count by default."""


def _shares(given: Any) -> Any:
    return Shares.of(given) if is_mapping(given) else given


def _limits(given: Any) -> Any:
    return ConsolidationConfig.of(given) or ConsolidationConfig(every_hours=None)


Observed = Annotated[ObserverConfig, BeforeValidator(lambda given: ObserverConfig.of(given) or ObserverConfig())]
Reflected = Annotated[ReflectorConfig, BeforeValidator(lambda given: ReflectorConfig.of(given) or ReflectorConfig())]


class CognitiveConfig(Settings):
    """The constants of a cognitive memory; the defaults are the specification's, but for the profile."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    traits: Annotated[Traits, BeforeValidator(Traits.of)] = Traits()
    """The agent's personality: six traits by name, 0 to 1."""
    profile: Annotated[Profile, BeforeValidator(_profile)] = PROFILES["daily"]
    base_strength: Unit = 0.5
    flashbulb_threshold: Unit = 0.8
    flashbulb_strength: float = Field(default=2.0, ge=1)
    flashbulb_stability: float = Field(default=5.0, ge=1)
    interference_threshold: Unit = 0.7
    """Above this cosine a new trace and an old one weaken each other."""
    features_seconds: float = Field(default=REPLY_SECONDS, gt=0)
    """How long a reply waits for a model to tell the features of a message."""
    prune_threshold: Unit = 0.05
    protected_intensity: Unit = PROTECTED_INTENSITY
    """Above it no trace is pruned, however weak."""
    restore_days: float = Field(default=30.0, gt=0)
    """How long what a sweep removed can be brought back."""
    weights: Weights = WEIGHTS
    shares: Annotated[Shares, BeforeValidator(_shares)] = SHARES
    """What each section of a prompt may take of it, 0 to 1, by name; what is left goes to the semantic one."""
    capacity: int = Field(default=7, ge=5, le=9)
    """Slots of working memory, before traits add or take one."""
    depth: int = Field(default=3, ge=1)
    """Hops that activation spreads."""
    per_hop: Unit = 0.5
    activation_threshold: Unit = 0.1
    max_activated: int = Field(default=20, ge=1)
    learning_rate: Unit = 0.1
    """What being used together adds to the tie of two traces."""
    consolidation: Annotated[ConsolidationConfig, BeforeValidator(_limits)] = ConsolidationConfig()
    """How often and how much is consolidated; None for only when it is asked for."""
    observer: Observed = ObserverConfig()
    """When what was said is observed."""
    reflector: Reflected = ReflectorConfig()
    """When notes become traces."""
    mechanisms: Annotated[Mechanisms | None, BeforeValidator(Mechanisms.of)] = None
    """The eight mechanisms; True for all of them, a mapping for those that differ from the defaults, None for none."""

    @cached_property
    def at_work(self) -> Mechanisms:
        """The mechanisms as the personality has them; all of them off where there are none."""
        return OFF if self.mechanisms is None else self.mechanisms.modulated(self.traits)

    @property
    def encoding(self) -> EncodingRates:
        """The constants of encoding; times in milliseconds, as the formulas have them."""
        return EncodingRates(
            base=self.base_strength,
            flashbulb_threshold=self.flashbulb_threshold,
            flashbulb_strength=self.flashbulb_strength,
            flashbulb_stability=self.flashbulb_stability,
            base_stability=self.profile.base_hours * HOUR * 1000,
        )

    @property
    def spreading(self) -> Spread:
        """How activation spreads."""
        return Spread(self.depth, self.per_hop, self.activation_threshold, self.max_activated)


DEFAULT_COGNITIVE_CONFIG = CognitiveConfig()
