"""Secrets of nearly 200 kinds are recognised where they stand, and innocent texts that look like them stay."""

import pytest

from fabric.redaction import REDACTED, redact
from tests.bench.redaction.labelled import Part, all_of, innocent, secrets
from tests.bench.redaction.scored import judged, scored

PARTS: tuple[Part, ...] = ("tuned", "held-out")


@pytest.mark.parametrize("part", PARTS)
def test_precision_and_recall(part: Part):
    score = scored(all_of([part]))
    assert score.recall >= 0.98
    assert score.precision >= 0.98


def test_the_set_is_big_enough():
    assert sum(map(len, secrets().values())) >= 150
    assert sum(map(len, innocent().values())) >= 300


@pytest.mark.parametrize("part", PARTS)
def test_no_kind_is_missed(part: Part):
    assert [one.kind for one in secrets()[part] if judged(one).missed] == []


@pytest.mark.parametrize("part", PARTS)
def test_what_was_redacted_is_redacted(part: Part):
    cleaned = [redact(one.text) for one in secrets()[part]]
    assert all(REDACTED in one for one in cleaned)
    assert [redact(one) for one in cleaned] == cleaned
