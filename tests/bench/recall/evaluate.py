"""Puts the questions of a set to a system, and prints what came of it as tables."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .data import Haystack, Question
from .metrics import interval, share_inside
from .system import Answer, System

BUDGETS = (1000, 2000, 4000)
DEPTH = 200
Score = Callable[[Haystack, Question, Answer], dict[str, float]]


@dataclass(frozen=True, slots=True)
class Result:
    """What one question gave."""

    question: str
    kind: str
    answerable: bool
    sureness: float
    measures: dict[str, float]


def ask(system: System, haystacks: Iterable[Haystack], score: Score, *, contexts: bool = False) -> list[Result]:
    """Return a result for every question; ``contexts`` measures the evidence inside contexts of 1,000 to 4,000 tokens.

    No ranking is longer than half the haystack.
    """
    results = list[Result]()
    for haystack in haystacks:
        for question in haystack.questions:
            answer = system.answer(haystack, question, min(DEPTH, len(haystack.turns) // 2))
            measures = score(haystack, question, answer)
            if contexts and question.answerable:
                measures |= _inside(system, haystack, question)
            results.append(Result(question.id, question.kind, question.answerable, answer.sureness, measures))
    return results


def _inside(system: System, haystack: Haystack, question: Question) -> dict[str, float]:
    wanted = [turn.text for turn in haystack.turns if turn.evidence or turn.id in question.gold]
    measures = dict[str, float]()
    for tokens in BUDGETS if wanted else ():
        context = system.context(haystack, question, tokens)
        measures[f"in {tokens}"] = sum(share_inside(text, context) for text in wanted) / len(wanted)
    return measures


def timed(system: System, haystacks: Iterable[Haystack], score: Score, *, contexts: bool = False) -> list[Result]:
    """Do what `ask` does, say how long it took, and close the system."""
    start = time.perf_counter()
    try:
        results = ask(system, haystacks, score, contexts=contexts)
    finally:
        system.close()
    print(f"<!-- {system.name}: {len(results)} questions in {time.perf_counter() - start:.0f} s -->", flush=True)
    return results


def mean(results: Sequence[Result], measure: str) -> str:
    """Return the mean of a measure over the results that have it, with its 95 % interval."""
    values = [result.measures[measure] for result in results if measure in result.measures]
    middle, low, high = interval(values)
    return f"{middle:.3f} [{low:.3f}, {high:.3f}]" if values else "-"


def bare(results: Sequence[Result], measure: str) -> str:
    """Return the mean of a measure alone."""
    return mean(results, measure).split(" ", maxsplit=1)[0]


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a Markdown table under a title."""
    print(f"\n{title}\n")
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def keep(folder: Path | None, bench: str, everything: Mapping[str, Sequence[Result]]) -> None:
    """Write one line per system and question into ``folder``, for whoever wants to look closer."""
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{bench}.jsonl").open("w", encoding="utf-8") as lines:
        for system, results in everything.items():
            for result in results:
                lines.write(json.dumps({"system": system, **asdict(result)}) + "\n")
