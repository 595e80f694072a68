"""Evidence turns found in LoCoMo conversations, without a model: ``python -m tests.bench.recall.locomo``."""

from collections.abc import Mapping, Sequence

from .data import LOCOMO, Haystack, Question, locomo, need
from .evaluate import BUDGETS, Result, bare, keep, mean, print_table, timed
from .lineup import options, systems
from .metrics import interval, measure, separation_interval
from .system import Answer

KINDS = {"1": "1 multi-hop", "2": "2 temporal", "3": "3 open-domain", "4": "4 single-hop", "5": "5 adversarial"}
MEASURES = ("R@5", "R@10", "MRR", "NDCG@10", "all@10")


def score(_haystack: Haystack, question: Question, answer: Answer) -> dict[str, float]:
    """Measure one ranking of turns."""
    return measure(answer.ranked, question.gold, (5, 10))


def answered(results: Sequence[Result]) -> list[Result]:
    """Return the results of categories 1 to 4."""
    return [result for result in results if result.kind != "5"]


def gain(results: Sequence[Result], base: Sequence[Result], name: str) -> str:
    """Return the paired difference of a measure from another system's, with its interval."""
    pairs = zip(answered(results), answered(base), strict=True)
    middle, low, high = interval([result.measures[name] - other.measures[name] for result, other in pairs])
    return f"{middle:+.3f} [{low:+.3f}, {high:+.3f}]"


def report(everything: Mapping[str, Sequence[Result]]) -> None:
    """Print the tables."""
    base = next(iter(everything.values()))
    count = len(answered(base))
    head = ("system", *MEASURES, "R@10 over the first", "5: R@10", "5: MRR")
    rows = [
        (
            name,
            *(mean(answered(results), one) for one in MEASURES),
            gain(results, base, "R@10"),
            *(bare([result for result in results if result.kind == "5"], measure) for measure in ("R@10", "MRR")),
        )
        for name, results in everything.items()
    ]
    print_table(f"LoCoMo, categories 1-4 (n = {count}), 5 apart (n = {len(base) - count})", head, rows)
    _categories(everything)
    _contexts(everything)
    _sureness(everything)


def _categories(everything: Mapping[str, Sequence[Result]]) -> None:
    base = next(iter(everything.values()))
    counts = {kind: sum(result.kind == kind for result in base) for kind in KINDS}
    head = ("system", *(f"{KINDS[kind]} (n = {count})" for kind, count in counts.items()))
    rows = [
        (name, *(_four([result for result in results if result.kind == kind]) for kind in counts))
        for name, results in everything.items()
    ]
    print_table("LoCoMo by category: R@5 / R@10 / MRR / NDCG@10", head, rows)


def _four(results: Sequence[Result]) -> str:
    return " / ".join(bare(results, one) for one in ("R@5", "R@10", "MRR", "NDCG@10"))


def _contexts(everything: Mapping[str, Sequence[Result]]) -> None:
    shown = {
        name: answered(all_)
        for name, all_ in everything.items()
        if any("in 1000" in result.measures for result in all_)
    }
    head = ("system", *(f"{tokens:,} tokens" for tokens in BUDGETS))
    rows = [(name, *(mean(results, f"in {tokens}") for tokens in BUDGETS)) for name, results in shown.items()]
    print_table("LoCoMo 1-4: share of the evidence inside a context of", head, rows)


def _sureness(everything: Mapping[str, Sequence[Result]]) -> None:
    rows = list[tuple[str, str]]()
    for name, results in everything.items():
        sure = [result.sureness for result in answered(results)]
        unsure = [result.sureness for result in results if result.kind == "5"]
        middle, low, high = separation_interval(sure, unsure)
        rows.append((name, f"{middle:.3f} [{low:.3f}, {high:.3f}]"))
    print_table("LoCoMo: AUC of the top score, categories 1-4 above 5", ("system", "AUC"), rows)


def main() -> None:
    """Run every system over the conversations and print the tables."""
    chosen = options(__doc__ or "")
    need(LOCOMO)
    haystacks = locomo(chosen.limit)
    everything = {
        name: timed(make(), haystacks, score, contexts=shows_contexts) for name, make, shows_contexts in systems(chosen)
    }
    report(everything)
    keep(chosen.out, "locomo", everything)


if __name__ == "__main__":
    main()
