"""Scores: what was found in labelled texts, beside what stands in them."""

from collections.abc import Iterable
from dataclasses import dataclass

from fabric.redaction import found

from .labelled import Labelled

SLACK = 2
"""How many characters around a secret may be taken with it, such as a quote."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was missed in a text, and what was found beside its secrets or reaches beyond them, by kind and place."""

    missed: int
    right: int
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How many texts with secrets were caught whole, and how many findings were right."""

    secrets: int
    caught: int
    right: int
    wrong: int
    innocent: int
    damaged: int

    @property
    def precision(self) -> float:
        """The share of findings that cover a secret and nothing else."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of texts all secrets of which are covered from end to end."""
        return self.caught / self.secrets if self.secrets else 1.0


def judged(one: Labelled) -> Judgement:
    """Return what was right and wrong about a text."""
    findings = found(one.text)
    missed = sum(not any(each.start <= start and end <= each.end for each in findings) for start, end in one.places)
    right = {
        each
        for each in findings
        for start, end in one.places
        if each.start >= start - SLACK and each.end <= end + SLACK
    }
    return Judgement(missed, len(right), tuple(str(each) for each in findings if each not in right))


def scored(texts: Iterable[Labelled]) -> Score:
    """Return the score over texts."""
    each = [(text, judged(text)) for text in texts]
    labelled = [judgement for one, judgement in each if one.places]
    harmless = [judgement for one, judgement in each if not one.places]
    return Score(
        secrets=len(labelled),
        caught=sum(not judgement.missed for judgement in labelled),
        right=sum(judgement.right for _, judgement in each),
        wrong=sum(len(judgement.wrong) for _, judgement in each),
        innocent=len(harmless),
        damaged=sum(bool(judgement.wrong) for judgement in harmless),
    )
