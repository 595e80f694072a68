"""A cognitive memory, wired: what `cognitive_memory` returns, ready for a pipeline."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

from blocks.cognitive import (
    Observed,
    Periodic,
    Reclassified,
    consolidate_block,
    consolidated_at,
    encode_block,
    end_turn_block,
    observe_block,
    reclassify_block,
    retrieve_block,
    retrieve_by,
    sweep_block,
    use_block,
    witness_block,
)
from blocks.communities import built_at
from blocks.hyde import Hyde, checked_hyde, hyde_block
from blocks.prospective import check_block, remind_block
from blocks.tools import MemoryTools
from capabilities.cognitive.capability import COGNITIVE_RESOURCES, Cognition, create_cognition
from capabilities.cognitive.config import CognitiveConfig, Profile
from capabilities.cognitive.consolidation.config import ConsolidationConfig
from capabilities.cognitive.consolidation.result import Consolidated
from capabilities.cognitive.encoder import MoodSource
from capabilities.cognitive.mechanisms.config import Mechanisms
from capabilities.cognitive.memory import CognitiveMemory
from capabilities.cognitive.observing.config import ObserverConfig, ReflectorConfig
from capabilities.cognitive.prompt.collecting import most_shown
from capabilities.cognitive.prompt.prompt import Style
from capabilities.cognitive.results import Retrieval, Swept
from capabilities.cognitive.witnesses.record import Witnessed
from capabilities.communities.capability import CommunitiesConfig
from capabilities.hypothesis import HydeChoice, HydeConfig
from capabilities.prospective import Due, Intention, ProspectiveMemory
from capabilities.prospective.capability import ZoneChoice
from capabilities.traces import TraceMemory
from fabric.embedding.choose import EmbedderChoice
from fabric.errors import ConfigurationError
from fabric.flow.block import Block
from fabric.flow.capability import Capability, ContextLines
from fabric.flow.context import Context
from fabric.flow.sequencer import Sequencer, sequencer
from fabric.generation.generator import ModelChoice
from fabric.options import check_model, check_whole_number, names_options
from fabric.record.run_input import said_in
from fabric.text.words import is_blank

from .communities import CommunitySteps

FeaturesBy = Literal["words", "model", "hybrid"]
"""What tells which features a message has."""


@dataclass(frozen=True, eq=False)
class CognitiveSystem:
    """What `cognitive_memory` returns: blocks to wire into a pipeline, the capability, and the six memory tools."""

    mind: Cognition
    name: str = "cognitive"
    model: ModelChoice | None = None
    features: FeaturesBy = "words"
    hyde: HydeConfig | None = None
    building: CommunitiesConfig | None = None

    @property
    def capability(self) -> Capability[CognitiveMemory]:
        """``ctx.cap.cognitive``: everything that the memory can do; declared with ``uses=[...]``."""
        return self.mind.capability

    @property
    def traces(self) -> Capability[TraceMemory]:
        """``ctx.cap.traces``: what the six tools work on."""
        return self.mind.traces

    @property
    def notes(self) -> Capability[Any]:
        """Lets a model read and rewrite what it notes about the user; declared with ``uses=[...]``."""
        return self.mind.notes

    @property
    def prospective(self) -> Capability[ProspectiveMemory]:
        """``ctx.cap.prospective``: reminders; ``prospective.presets(tools=True)`` gives a generator its tools."""
        return self.mind.prospective

    @cached_property
    def remind(self) -> Block[Mapping[str, Any], Intention]:
        """What is to be done later in, as a mapping; the reminder out."""
        return remind_block(self.name, self.prospective)

    @cached_property
    def check(self) -> Block[Any, list[Due]]:
        """The user's message in, the reminders out that are due now; each due time once. `assemble` tells them, too."""
        return check_block(self.name, self.prospective)

    @cached_property
    def encode(self) -> Block[Any, Any]:
        """Encodes the user's message, and hands it on."""
        model = self.model if self.features == "model" else None
        seconds = self.mind.config.features_seconds
        return encode_block(self.name, self.capability, model, seconds=seconds, reclassify=self.features == "hybrid")

    @cached_property
    def retrieve(self) -> Block[Any, Retrieval]:
        """A cue in, what it brings to mind out; nothing is changed. ``{"cue": ..., "hyde": "unsure"}``, too."""
        return retrieve_block(self.name, self.capability, self._hyde)

    @cached_property
    def _hyde(self) -> Hyde:
        return Hyde(hyde_block(self.name, self.model), self.hyde)

    @cached_property
    def use(self) -> Block[Sequence[str], list[str]]:
        """The ids of traces that were of use in; they are kept longer for it."""
        return use_block(self.name, self.capability)

    @cached_property
    def sweep(self) -> Block[object, Swept]:
        """Removes what has faded; a consolidation begins with it."""
        return sweep_block(self.name, self.capability)

    @cached_property
    def reclassify(self) -> Block[object, Reclassified]:
        """Asks the model what messages hold whose words alone were looked at; ``consolidate`` begins with it.

        ConfigurationError unless the memory was made with ``features="hybrid"`` or ``"model"``.
        """
        if self.features == "words" or self.model is None:
            raise ConfigurationError(f'{self.name}: no model is asked later: cognitive_memory(features="hybrid")')
        return reclassify_block(self.name, self.capability, self.model)

    @cached_property
    def consolidate(self) -> Block[object, Consolidated]:
        """One cycle of consolidation: five steps, then the mechanisms; ``after_turn`` runs one once an hour."""
        later = None if self.features == "words" else self.reclassify
        return consolidate_block(self.name, self.capability, self.model, later)

    @cached_property
    def after_turn(self) -> Block[Any, list[str]]:
        """For ``.work(...)`` behind a reply: what the prompt showed was used, and the turn is over.

        Then it consolidates, and builds communities, each where it is time for it.
        """
        every, groups = self.mind.config.consolidation.every_hours, self.communities
        periodic = [] if every is None else [Periodic(self.consolidate, every, consolidated_at)]
        if self.building is not None:
            periodic.append(Periodic(groups.build, self.building.every_hours, built_at, (groups.capability,)))
        return end_turn_block(self.name, self.capability, periodic)

    @cached_property
    def observe(self) -> Block[Any, Observed]:
        """For ``.work(...)`` behind a reply: what was said is heard, noted by the model, and learned from.

        ``run(mem.observe, {"force": True})`` observes and reflects on what there is now. Without ``model`` it does
        nothing.
        """
        return observe_block(self.name, self.capability, self.prospective, self.mind.config.traits, self.model)

    @cached_property
    def witness(self) -> Block[Mapping[str, Any], list[Witnessed]]:
        """Events and who saw them in: ``{"events": [...], "witness": {...}}``; what that one remembers of each, out.

        Run in the session of the witness, whose traits and mood this memory has; with ``model`` in its own words.
        """
        return witness_block(self.name, self.capability, self.mind.config.traits, self.model)

    @cached_property
    def communities(self) -> CommunitySteps:
        """Groups of what is named together: blocks that build them, and search around names or over all."""
        return CommunitySteps(self.mind, self.name, self.model)

    def assemble(
        self,
        tokens: int = 1_000,
        *,
        style: Style | None = None,
        events: Callable[[Context], Iterable[str]] | None = None,
        hyde: HydeChoice = None,
    ) -> ContextLines:
        """Return the lines for a generator's ``context=[...]``: what the user's message brings to mind, and reminders.

        ``events`` gives the names of what has happened in a turn, which may bring reminders back. ``hyde`` says when a
        hypothetical answer is looked for, in place of what the memory's option says; False for never.
        ConfigurationError for fewer than 1 token, for a style that there is not, and for what needs a model.
        """
        check_whole_number(f"{self.name}: assemble: tokens", tokens, least=1)
        if style is not None and style not in get_args(Style):
            told = ", ".join(get_args(Style))
            raise ConfigurationError(f"{self.name}: assemble got style={style!r}; expected one of {told}, or None")
        how = Hyde(self._hyde.block, self.hyde if hyde is None else checked_hyde(hyde, self.model))

        async def lines(ctx: Context) -> str:
            cue, mine = _cue(ctx), self.on(ctx)
            if not cue:
                return ""
            happened = tuple(events(ctx)) if events is not None else ()
            found = await retrieve_by(ctx, mine, how, {"cue": cue, "limit": most_shown(tokens)})
            return (await mine.assemble(cue, tokens, style=style, events=happened, found=found)).text

        return ContextLines(lines, COGNITIVE_RESOURCES)

    def on(self, ctx: Context) -> CognitiveMemory:
        """Return the memory for a running context, as ``ctx.cap.cognitive`` does where the capability is declared."""
        helpers = self.capability.base.helpers
        assert helpers is not None  # noqa: S101  it has functions
        return helpers(ctx)

    @cached_property
    def tools(self) -> MemoryTools:
        """The six memory tools over the same traces: what they add is encoded, and fades like all else."""
        return MemoryTools(self.traces, None, include_reflect=True, identifier="memory_tools")


_OPTIONS = ("traits", "profile", "mechanisms", "consolidation", "observer", "reflector")


def _cue(ctx: Context) -> str:
    """Return what the user said last: the message that the run is about, or its input."""
    if ctx.run.said is not None:
        return ctx.run.said.text
    said = said_in(ctx.input)
    return said.text if said is not None else ""


def _features_by(features: FeaturesBy | None, model: ModelChoice | None) -> FeaturesBy:
    """Return what tells features; ConfigurationError for what does not, or cannot without a model."""
    by = features or ("words" if model is None else "model")
    if by not in get_args(FeaturesBy):
        raise ConfigurationError(f"features is {features!r}; expected one of {', '.join(get_args(FeaturesBy))}")
    if model is None and by != "words":
        raise ConfigurationError(f"features is {features!r}; a model is needed: cognitive_memory(model=...)")
    return by


def _check_names(name: object, constants: object) -> None:
    if not isinstance(name, str) or is_blank(name):
        raise ConfigurationError(f"name is {name!r}; expected a text that is not blank: the prefix of the block names")
    if not isinstance(constants, Mapping | None):
        raise ConfigurationError(f"constants is {constants!r:.80}; expected a mapping, such as {{'capacity': 9}}")
    named = [option for option in _OPTIONS if option in (constants or {})]
    if named:
        raise ConfigurationError(f"constants: {named[0]} is an option of its own; cognitive_memory({named[0]}=...)")


@names_options()
def cognitive_memory(
    *,
    traits: Mapping[str, float] | None = None,
    mood: MoodSource | None = None,
    profile: str | Profile = "daily",
    model: ModelChoice | None = None,
    features: FeaturesBy | None = None,
    mechanisms: Mechanisms | Mapping[str, Any] | bool | None = None,
    consolidation: ConsolidationConfig | Mapping[str, Any] | bool | None = True,
    observer: ObserverConfig | Mapping[str, Any] | None = None,
    reflector: ReflectorConfig | Mapping[str, Any] | None = None,
    embedder: EmbedderChoice = "default",
    zone: ZoneChoice = None,
    hyde: HydeChoice = None,
    communities: CommunitiesConfig | Mapping[str, Any] | bool | None = None,
    constants: Mapping[str, Any] | None = None,
    name: str = "cognitive",
) -> CognitiveSystem:
    """Build a cognitive memory: it encodes by personality and mood, forgets, and brings to mind by six signals.

    ``traits`` are HEXACO traits by name, 0 to 1, each 0.5 unless given. ``mood`` is a function that gives valence,
    arousal and dominance, -1 to 1, whenever something is encoded or retrieved; where it fails the mood is even.
    ``profile`` says how fast traces fade: "daily", "as_specified", or a `Profile`. ``model``, what a generator takes,
    tells what an encoded message holds, draws schemas and makes gists; without one words and rules do what they can.
    ``features`` says what tells them: the "model" (the default with one), "words", or "hybrid", by the words at once
    and by the model in a consolidation. ``mechanisms`` are the eight of `Mechanisms`: True for all, a mapping for
    those that differ, None for none. ``consolidation`` says how often and how much ``after_turn`` consolidates: a
    mapping of `ConsolidationConfig`, None for only when it is asked to. ``observer`` and ``reflector`` say from how
    many tokens on conversations are noted, and notes become memories. ``constants`` are fields of `CognitiveConfig` by
    name. ``embedder`` is that of `memory_system`, ``name`` the prefix of the block names. ``zone`` is the time zone in
    which "tomorrow at 9" is meant: a name, or a function of a context that gives that of ``ctx.user``; UTC without
    one. ``hyde`` says when `retrieve` looks for the meaning of a hypothetical answer that the model writes: "unsure" or
    "always", a mapping of `HydeConfig`, None for never. ``communities`` says how often ``after_turn`` builds
    communities: True for once a day, a mapping of `CommunitiesConfig`, None for only when `communities.build` is run.
    ConfigurationError for what cannot work.

    >>> mem = cognitive_memory(traits={"openness": 0.7, "emotionality": 0.6}, mood=lambda: (0.2, 0.4, 0.0))
    >>> mem.encode.name
    'cognitive/encode'
    """
    _check_names(name, constants)
    if model is not None:
        check_model("model", model, without="None for words")
    given: dict[str, Any] = {
        "traits": traits or {},
        "profile": profile,
        "mechanisms": mechanisms,
        "consolidation": consolidation,
        "observer": observer,
        "reflector": reflector,
    }
    options: dict[str, Any] = {**(constants or {}), **given}
    mind = create_cognition(CognitiveConfig(**options), mood=mood, embedder=embedder, zone=zone)
    by = _features_by(features, model)
    return CognitiveSystem(mind, name, model, by, checked_hyde(hyde, model), CommunitiesConfig.of(communities))


def cognitive_turn(
    mem: CognitiveSystem, reply: Block[Any, Any], *, name: str = "cognitive-turn"
) -> Sequencer[Any, Any]:
    """Return a whole turn around a reply: the message is encoded before it, and observed behind it; then the turn ends.

    ``reply`` is a block that gets the user's message, such as a generator with ``context=[mem.assemble()]``: what the
    message brings to mind and what is due is retrieved there. Observing, and consolidating once in an hour, happen in
    the background: nobody waits for them.

    >>> from fabric import generator
    >>> mem = cognitive_memory()
    >>> cognitive_turn(mem, generator(name="reply", model="gpt-5", context=[mem.assemble()])).name
    'cognitive-turn'
    """
    return sequencer(name=name).then(mem.encode).then(reply).work(mem.observe).work(mem.after_turn)
