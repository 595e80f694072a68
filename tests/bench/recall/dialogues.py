"""Thirty short lives told over months, and what they are asked: ``python -m tests.bench.recall.dialogues``."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from capabilities.memory.recall.ranked import RELEVANT, RankedMemory
from fabric import Fabric
from fabric.testing import FrozenClock
from pipelines import Memory

from .evaluate import print_table

FOLDER = Path(__file__).parent
SHOWN = 15
"""Lives up to this number may be looked at while the memory is changed; the rest are held out."""
MORE = 100
"""Lives above this number are of the second file, in ten languages: the odd ones shown, the even ones set aside."""
COLLOQUIAL = 200
"""Lives above this number are told as people type: most of it in words that no rule knows."""
PARTS = {
    "shown": "shown, lives 1 to 15",
    "held-out": "held out, lives 16 to 30",
    "more": "more, odd lives from 101",
    "aside": "set aside, even lives from 102",
    "colloquial": "colloquial, lives from 201",
}
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a life, what came back for it, and how good that is."""

    life: int
    language: str
    question: Mapping[str, Any]
    found: Sequence[RankedMemory]

    @property
    def kind(self) -> str:
        """What the question is after: a fact, a change, somebody's name ..."""
        return str(self.question["kind"])

    @property
    def is_hit(self) -> bool:
        """Whether the first result answers."""
        if self.kind == "nobody":
            return not any(memory.relevance >= RELEVANT and is_users(memory) for memory in self.found)
        if self.kind == "about":
            held = [any(self._says(memory, [value]) for memory in self.found) for value in self.question["holds"]]
            return self._answers(self.found[:1]) and all(held) and not self.is_stale
        return self._answers(self.found[:1])

    @property
    def is_near(self) -> bool:
        """Whether one of the first three answers; for a question that is answered as a whole, whether that is right."""
        return self.is_hit if self.kind in {"nobody", "about"} else self._answers(self.found[:3])

    @property
    def is_stale(self) -> bool:
        """Whether the first result says what is no longer so, and not what is; of a profile, whether any one does."""
        shown = [memory for memory in self.found if not memory.outdated] if self.kind == "about" else self.found[:1]
        good = [*self.question["answer"], *self.question.get("holds", [])]
        return any(self._says(memory, self.question["stale"]) and not self._says(memory, good) for memory in shown)

    def _answers(self, found: Sequence[RankedMemory]) -> bool:
        return any(memory.role != "assistant" and self._says(memory, self.question["answer"]) for memory in found)

    @staticmethod
    def _says(memory: RankedMemory, values: Sequence[str]) -> bool:
        text = f"{memory.subject}: {memory.content}".casefold()
        return any(value.casefold() in text for value in values)


def is_users(memory: RankedMemory) -> bool:
    """Return whether it is about the user, or was said by the user."""
    return memory.role == "user" if memory.source == "turn" else memory.subject == "user"


def lives(part: str = "all") -> list[dict[str, Any]]:
    """Return the lives of a part of :data:`PARTS`, or the 30 of the first file (``all``).

    Each has messages (day, session, text, and sometimes a reply) and questions. A question is asked in a session,
    after the message with that index, and lists what an answer holds (``answer``, any of them) and what was so
    before (``stale``). The first result of a profile holds one of ``answer``, and the whole list all of ``holds``.
    """
    name = "dialogues_more.json" if part in {"more", "aside", "colloquial"} else "dialogues.json"
    told: list[dict[str, Any]] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return [life for life in told if part in {"all", part_of(life["life"])}]


def part_of(life: int) -> str:
    """Return the part of :data:`PARTS` that the life with this number belongs to."""
    if life > COLLOQUIAL:
        return "colloquial"
    if life > MORE:
        return "more" if life % 2 else "aside"
    return "shown" if life <= SHOWN else "held-out"


def asked(life: Mapping[str, Any], embedder: Any = "default") -> Iterator[Asked]:
    """Tell a life to a memory that works by rules, and yield its questions as they are answered on the way."""
    clock = FrozenClock()
    with Fabric(clock=clock) as fabric:
        sessions = {message["session"] for message in life["messages"]} | {"later"}
        memories = {
            name: Memory(fabric, user=life["user"], session=name, embedder=embedder) for name in sorted(sessions)
        }
        for place, message in enumerate(life["messages"]):
            clock.set(datetime.fromisoformat(f"{message['on']}T09:00:00+00:00") + place * MINUTE)
            memories[message["session"]].capture(_messages(message))
            fabric.drain()
            for question in life["questions"]:
                if question["after"] == place:
                    found = memories[question["session"]].recall(question["ask"])
                    yield Asked(life["life"], life["language"], question, found)


def _messages(message: Mapping[str, str]) -> list[dict[str, str]] | dict[str, str]:
    said = {"role": "user", "content": message["text"]}
    return [said, {"role": "assistant", "content": message["reply"]}] if "reply" in message else said


def row(name: str, answers: Sequence[Asked]) -> tuple[str, ...]:
    """Return a line of the table: how many there are, and their hit@1, hit@3 and stale@1."""
    count = max(1, len(answers))
    shares = [
        sum(getattr(answer, measure) for answer in answers) / count for measure in ("is_hit", "is_near", "is_stale")
    ]
    return name, str(len(answers)), *(f"{share:.3f}" for share in shares)


def report(title: str, answers: Sequence[Asked]) -> None:
    """Print the shares of all questions, by kind and by language."""
    kinds = sorted({answer.kind for answer in answers})
    languages = sorted({answer.language for answer in answers})
    rows = [row("all", answers)]
    rows += [row(kind, [answer for answer in answers if answer.kind == kind]) for kind in kinds]
    rows += [row(language, [answer for answer in answers if answer.language == language]) for language in languages]
    print_table(title, ("questions", "n", "hit@1", "hit@3", "stale@1"), rows)


def list_misses(answers: Sequence[Asked]) -> None:
    """Print every question whose first result is wrong, with what came first."""
    for answer in answers:
        if not answer.is_hit or answer.is_stale:
            wanted = answer.question["answer"] or "nothing of the user's"
            print(f"{answer.life} {answer.kind}: {answer.question['ask']} -> {wanted}{' STALE' * answer.is_stale}")
            for memory in answer.found[:3] if answer.kind != "about" else answer.found:
                whose = memory.subject or memory.role
                print(f"     {memory.relevance:.2f} {memory.source} {whose}: {memory.content} {memory.note}")


def main() -> None:
    """Ask all, and print how often the first result answers, part by part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--embedder", default="default", help="default, minilm, or none for words alone")
    parser.add_argument("--misses", action="store_true", help="also print what came first where it is wrong")
    options = parser.parse_args()
    embedder = None if options.embedder == "none" else options.embedder
    answers = [answer for life in lives(options.part) for answer in asked(life, embedder)]
    for name, title in PARTS.items():
        part = [answer for answer in answers if part_of(answer.life) == name]
        if part:
            report(f"Dialogues, {title}, embedder {options.embedder}", part)
    if options.part == "all":
        report(f"Dialogues, all, embedder {options.embedder}", answers)
    if options.misses:
        list_misses(answers)


if __name__ == "__main__":
    main()
