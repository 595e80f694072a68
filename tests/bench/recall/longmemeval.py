"""Answer sessions found in LongMemEval-S haystacks, without a model: ``python -m tests.bench.recall.longmemeval``."""

from collections.abc import Iterator, Mapping, Sequence

from .baselines import WholeSessions
from .data import QUESTIONS, SESSIONS, Haystack, Question, longmemeval, need
from .evaluate import BUDGETS, Result, bare, keep, mean, print_table, timed
from .lineup import Options, options, systems
from .metrics import measure, separation_interval
from .system import Answer, System

MEASURES = ("any@5", "all@5", "R@5", "NDCG@5", "MRR")
UPDATE = "newest first"
TURNS = ("turns R@5", "turns R@10")


def score(haystack: Haystack, question: Question, answer: Answer) -> dict[str, float]:
    """Measure a ranking of turns as one of sessions, where a session stands where its best turn does, and as it is."""
    of = {turn.id: turn.session for turn in haystack.turns}
    ranked = list(dict.fromkeys(of[one] for one in answer.ranked if one in of))
    measures = measure(ranked, question.gold, (5,))
    evidence = [turn.id for turn in haystack.turns if turn.evidence]
    if evidence and len(answer.ranked) > len(haystack.sessions):  # who ranks sessions has no order of turns
        measures |= {f"turns {name}": value for name, value in measure(answer.ranked, evidence, (5, 10)).items()}
    if question.kind == "knowledge-update" and len(question.gold) > 1:
        place = {session: at for at, session in enumerate(ranked)}
        newest, oldest = (place.get(question.gold[at], len(place) + 1 + (at == 0)) for at in (-1, 0))
        measures[UPDATE] = float(newest < oldest and question.gold[-1] in place)
    return measures


def answered(results: Sequence[Result]) -> list[Result]:
    """Return the results of the questions that can be answered."""
    return [result for result in results if result.answerable]


def report(sides: str, everything: Mapping[str, Sequence[Result]]) -> None:
    """Print the tables."""
    base = next(iter(everything.values()))
    updates = sum(UPDATE in result.measures for result in answered(base))
    title = f"LongMemEval-S sessions, {sides} (n = {len(answered(base))}; updates n = {updates})"
    measures = (*MEASURES, UPDATE, *TURNS)
    rows = [(name, *(mean(answered(results), measure) for measure in measures)) for name, results in everything.items()]
    print_table(title, ("system", *measures), rows)
    _kinds(sides, everything)
    _sureness(sides, everything)
    _contexts(sides, everything)


def _kinds(sides: str, everything: Mapping[str, Sequence[Result]]) -> None:
    base = next(iter(everything.values()))
    kinds = sorted({result.kind for result in base})
    groups = {kind: sum(result.kind == kind for result in answered(base)) for kind in kinds}
    head = ("system", *(f"{kind} (n = {count})" for kind, count in groups.items()))
    rows = [
        (name, *(bare([result for result in answered(results) if result.kind == kind], "R@5") for kind in kinds))
        for name, results in everything.items()
    ]
    print_table(f"LongMemEval-S R@5 by type, {sides}", head, rows)


def _contexts(sides: str, everything: Mapping[str, Sequence[Result]]) -> None:
    shown = {
        name: answered(all_)
        for name, all_ in everything.items()
        if any("in 1000" in result.measures for result in all_)
    }
    if shown:
        head = ("system", *(f"{tokens:,} tokens" for tokens in BUDGETS))
        rows = [(name, *(mean(results, f"in {tokens}") for tokens in BUDGETS)) for name, results in shown.items()]
        print_table(f"LongMemEval-S, {sides}: share of the evidence turns inside a context of", head, rows)


def _sureness(sides: str, everything: Mapping[str, Sequence[Result]]) -> None:
    rows = list[tuple[str, ...]]()
    for name, results in everything.items():
        sure = [result.sureness for result in answered(results)]
        unsure = [result.sureness for result in results if not result.answerable]
        middle, low, high = separation_interval(sure, unsure)
        marks = [sum(one >= threshold for one in group) for threshold in (0.3, 0.4, 0.5) for group in (sure, unsure)]
        kept = " ".join(
            f"{a / len(sure):.2f}/{b / len(unsure):.2f}" for a, b in zip(marks[::2], marks[1::2], strict=True)
        )
        rows.append((name, f"{middle:.3f} [{low:.3f}, {high:.3f}]", kept))
    absent = sum(not result.answerable for result in next(iter(everything.values())))
    head = ("system", "AUC", "answerable / unanswerable with a top score of .3, .4, .5 or more")
    print_table(f"LongMemEval-S, {sides}: top score of unanswerable questions (n = {absent})", head, rows)


def _systems(chosen: Options, user_only: bool) -> Iterator[tuple[str, System, bool]]:
    if user_only and chosen.wants(WholeSessions.name):
        yield WholeSessions.name, WholeSessions(), False
    for name, make, shows_contexts in systems(chosen):
        yield name, make(), shows_contexts and not user_only


def main() -> None:
    """Run every system over the haystacks and print the tables, on the user's turns and on both sides' turns."""
    chosen = options(__doc__ or "")
    need(QUESTIONS, SESSIONS)
    for sides, user_only in (("user turns", True), ("user and assistant turns", False)):
        if chosen.sides not in ("", sides.split()[-2]):
            continue
        haystacks = [one.only("user") if user_only else one for one in longmemeval(chosen.limit)]
        everything = {
            name: timed(system, haystacks, score, contexts=contexts)
            for name, system, contexts in _systems(chosen, user_only)
        }
        report(sides, everything)
        keep(chosen.out, f"longmemeval {sides}", everything)


if __name__ == "__main__":
    main()
