"""A plain model of what a file must hold, fed with what the killed process said: words, and where each must stand."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from .operations import CHAINS, Operation, State

TURNS = ("capture", "run", "remember", "import", "update")
"""What leaves a turn in its session."""


UNNAMED = ("remember", "update")
"""What is done twice when it is asked for twice."""


@dataclass(frozen=True, slots=True)
class Said:
    """One word: who said it, how, in which session and under which tag, and whether a reader was to take a fact."""

    word: str
    user: str
    kind: str
    session: str
    tag: str = ""
    place: int = 0
    """Which of the operation's words it is."""

    @property
    def verb(self) -> str:
        """The kind of operation that said it."""
        return self.kind.split()[0]

    @property
    def name(self) -> str:
        """What else tells them apart: what was captured, or how it was imported."""
        return self.kind.partition(" ")[2]


@dataclass(slots=True)
class Model:
    """What was said and acknowledged, what was begun only, and what was forgotten."""

    kept: dict[str, Said] = field(default_factory=dict[str, Said])
    begun: dict[str, Operation] = field(default_factory=dict[str, Operation])
    """By user: what was begun, and not acknowledged."""
    told: set[str] = field(default_factory=set[str])
    """The words of what was only begun that were acknowledged on their own."""
    gone: set[str] = field(default_factory=set[str])
    unsure: set[str] = field(default_factory=set[str])
    """Kept words that forgetting may have taken along, as versions of one fact or parts of one trace."""
    together: dict[str, int] = field(default_factory=dict[str, int])
    """Which versions or merged copies a word belongs to."""
    done: int = 0

    def hear(self, state: State, operation: Operation, part: str = "") -> None:
        """Take in what the process said."""
        if state == "begun":
            self.begun[operation.user] = operation
            self._join(operation)
        elif state == "told":
            self.told.add(part)
        else:
            self.begun.pop(operation.user, None)
            self.told -= set(operation.words)
            if state == "done":
                self.apply(operation)
                self.done += 1

    def apply(self, operation: Operation) -> None:
        """Take an operation for done."""
        if operation.kind.startswith("forget"):
            self.let_go(operation)
            must = set(self.taken(operation))
            self.unsure |= self.beside(must)
            self._go(must)
            return
        for message in said_by(operation):
            self.kept[message.word] = message

    def let_go(self, operation: Operation) -> None:
        """Expect nothing of a friend of whom one thing is forgotten: what was said of him beside it stays."""
        for word in operation.words if operation.kind == "forget id" else ():
            if word in self.kept and self.kept[word].name == "friend":
                del self.kept[word]

    def settle(self, words: Iterable[str], *, are_kept: bool) -> None:
        """Note what was found of words of which either was right."""
        found = set(words)
        self.unsure -= found
        if not are_kept:
            self._go(found)

    def taken(self, operation: Operation) -> Iterator[str]:
        """Yield the kept words that an act of forgetting must take."""
        what = operation.kind.partition(" ")[2]
        for word, message in self.kept.items():
            if message.user == operation.user and (
                what == "all"
                or (what in ("id", "subject") and word in operation.words)
                or (what == "session" and message.session == operation.session and message.verb in TURNS)
                or (what == "tag" and bool(message.tag) and message.tag == operation.tag)
            ):
                yield word

    def beside(self, words: Iterable[str]) -> set[str]:
        """Return the other kept words that forgetting these may take along."""
        given = set(words)
        return {word for word in self._together(given) if word in self.kept} - given

    def forgetting(self) -> list[tuple[set[str], set[str]]]:
        """Return of each act of forgetting that was only begun the words that it must take, and those that it may."""
        begun = [operation for operation in self.begun.values() if operation.kind.startswith("forget")]
        for operation in begun:
            self.let_go(operation)
        return [(must, self.beside(must)) for must in (set(self.taken(operation)) for operation in begun)]

    def waiting(self) -> list[Operation]:
        """Return what is to be asked again, since nobody was told that it is done."""
        return list(self.begun.values())

    def look_again(self, found: set[str]) -> None:
        """Take for done what has no name by which it is known when it is asked again, and was found in the file.

        So does whoever looks before he asks again. A mind is not asked again.
        """
        for operation in list(self.begun.values()):
            said = [message for message in said_by(operation) if message.word in found]
            if operation.kind == "mind" or (operation.kind in UNNAMED and said):
                self.kept.update((message.word, message) for message in said)
                self.begun.pop(operation.user)
        self.told.clear()

    def _go(self, words: set[str]) -> None:
        for word in words:
            if word in self.kept:
                del self.kept[word]
                self.gone.add(word)
        self.unsure -= words

    def _together(self, words: Iterable[str]) -> set[str]:
        groups = {self.together[word] for word in words if word in self.together}
        return {word for word, group in self.together.items() if group in groups}

    def _join(self, operation: Operation) -> None:
        words = set(operation.words)
        if operation.kind.partition(" ")[2] in CHAINS:
            chain = operation.kind.partition(" ")[2]
            words |= {
                message.word
                for message in self.kept.values()
                if message.user == operation.user and message.name == chain
            }
        elif operation.kind not in ("update", "merge"):
            return
        words |= self._together(words)
        group = len(self.together) + 1 + max(self.together.values(), default=0)
        self.together.update(dict.fromkeys(words, group))


def said_by(operation: Operation) -> list[Said]:
    """Return the words that an operation says."""
    verb = operation.kind.split()[0]
    if verb not in (*TURNS, "count", "mind", "trace"):
        return []
    words = operation.words[:1] if verb == "update" else operation.words
    message = Said("", operation.user, operation.kind, operation.session, operation.tag)
    if verb == "update":
        message = replace(message, session="default")
    return [replace(message, word=word, place=place) for place, word in enumerate(words)]


def places(message: Said) -> dict[str, int]:
    """Return how often a kept word must stand in each place once all work is done."""
    found: dict[str, int] = defaultdict(int)
    if message.verb in ("capture", "run", "count"):
        found["messages"] = 1
    if message.verb in TURNS:
        found["turns"] = 1
    if message.verb in ("capture", "run", "remember", "update"):
        found["facts"] = 2 if message.name == "friend" else 1  # who the friend is, and what he likes
    if message.verb == "count":
        found["jobs' notes"] = 1
    if message.verb == "trace":
        found["traces"] = 1
    if message.verb == "mind":
        found["mind"] = 1
    return dict(found)
