"""Precision and recall of observing without a model, on our labelled set and on chat turns with known facts."""

import json
import lzma
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from snowballstemmer import stemmer

from blocks.readers.observe import observe_text
from capabilities.claims.attributes import words_of
from fabric.text.words import word_set, words

ROOT = Path(__file__).parents[2]
LABELLED = ROOT / "tests" / "blocks" / "readers" / "labelled.jsonl"
MSC = ROOT / ".." / "shared" / "data" / "msc_personas_a.jsonl.xz"
COVERED = 0.75
TURN_COVERED = 0.5
_STEM = stemmer("english")
_LIGHT = word_set(
    "a an the is are was were am be i my me we our their they them his her he she to of in on at for with and or that"
    " it have has had do does did s user very really also so just this but not"
)


@dataclass(slots=True)
class Score:
    """Counts of a comparison: right and wrong things found, things to find, and those of them that were found."""

    right: int = 0
    wrong: int = 0
    wanted: int = 0
    found: int = 0

    @property
    def precision(self) -> float:
        """The share of what was found that is right."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of what was wanted that was found."""
        return self.found / max(1, self.wanted)

    def __str__(self) -> str:
        right = f"precision {self.precision:.3f} ({self.right}/{self.right + self.wrong})"
        return f"{right}  recall {self.recall:.3f} ({self.found}/{self.wanted})"


def labelled() -> list[dict[str, Any]]:
    """Return the labelled sentences: ``text`` and ``facts``, pairs of subject and content; a trap has none."""
    return [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    return frozenset(_STEM.stemWords([word for word in words(text) if word not in _LIGHT]))


def negated(text: str) -> bool:
    """Return whether a text holds a word that denies."""
    return not words_of("denials").isdisjoint(words(text))


def matches(found: str, wanted: str, share: float = COVERED) -> bool:
    """Return whether ``found`` holds at least ``share`` of the words of ``wanted`` and denies what it denies."""
    want = content_words(wanted)
    return bool(want) and len(want & content_words(found)) >= share * len(want) and negated(found) == negated(wanted)


def on_labelled() -> tuple[Score, list[str]]:
    """Return the score on the labelled set, and one line per mistake."""
    score, mistakes = Score(), list[str]()
    for row in labelled():
        seen = [(observation.subject, observation.content) for observation in observe_text(row["text"])]
        hit = [any(subject == s and matches(content, c) for s, c in row["facts"]) for subject, content in seen]
        got = [any(subject == s and matches(content, c) for subject, content in seen) for s, c in row["facts"]]
        score.right, score.wrong = score.right + sum(hit), score.wrong + len(hit) - sum(hit)
        score.wanted, score.found = score.wanted + len(got), score.found + sum(got)
        if not all(hit) or not all(got):
            mistakes.append(f"{row['text']!r}: wanted {row['facts']}, found {seen}")
    return score, mistakes


def dialogues(half: int) -> Iterator[list[tuple[str, str]]]:
    """Yield half of the dialogues (0: the even ones, which the rules were written on; 1: the odd ones, held out)."""
    with lzma.open(MSC, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if number % 2 == half:
                yield [(turn["text"], turn.get("persona_text", "")) for turn in json.loads(line)["dialog"]]


def on_turns(half: int) -> tuple[Score, Score]:
    """Return how well the rules tell which turns bear a fact, and how well what they say agrees with that fact."""
    bears, says = Score(), Score()
    for text, persona in (turn for dialogue in dialogues(half) for turn in dialogue):
        seen = [observation.content for observation in observe_text(text)]
        bears.right += bool(seen and persona)
        bears.wrong += bool(seen and not persona)
        bears.wanted += bool(persona)
        bears.found += bool(seen and persona)
        _compare(says, seen, [part.strip() for part in persona.split(".") if part.strip()])
    return bears, says


def _compare(score: Score, seen: Sequence[str], facts: Sequence[str]) -> None:
    right = [any(_alike(content, fact) for fact in facts) for content in seen]
    score.right, score.wrong = score.right + sum(right), score.wrong + len(right) - sum(right)
    score.wanted += len(facts)
    score.found += sum(any(_alike(content, fact) for content in seen) for fact in facts)


def _alike(content: str, fact: str) -> bool:
    """Half of the shorter text's meaning words are in the other."""
    said, meant = content_words(content), content_words(fact)
    return bool(said and meant) and len(said & meant) >= TURN_COVERED * min(len(said), len(meant))


def main() -> None:
    """Print every figure; with ``-v`` the mistakes on the labelled set too."""
    score, mistakes = on_labelled()
    rows = labelled()
    print(f"labelled set: {len(rows)} sentences, {sum(not row['facts'] for row in rows)} traps: {score}")
    if "-v" in sys.argv:
        print("\n".join(mistakes))
    if not MSC.exists():
        print("chat turns: the data set is not here")
        return
    for half, name in enumerate(("half the rules were written on", "held-out half")):
        bears, says = on_turns(half)
        print(f"chat turns, {name}: bears a fact: {bears}")
        print(f"chat turns, {name}: which fact:   {says}")


if __name__ == "__main__":
    main()
