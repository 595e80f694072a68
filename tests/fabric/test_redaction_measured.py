"""Secrets of nearly 200 kinds are recognised where they stand, and innocent texts that look like them stay."""

import pytest
import regex

from fabric.redaction import REDACTED, redact
from fabric.redaction.signs import data
from tests.bench.redaction.labelled import PARTS, Part, all_of, innocent, secrets
from tests.bench.redaction.scored import judged, scored


@pytest.mark.parametrize("part", PARTS)
def test_precision_and_recall(part: Part):
    score = scored(all_of([part]))
    assert score.recall >= 0.98
    assert score.precision >= 0.98


def test_the_set_is_big_enough():
    assert sum(map(len, secrets().values())) >= 150
    assert sum(map(len, innocent().values())) >= 300


@pytest.mark.parametrize("part", ["tuned", "held-out"])
def test_no_kind_is_missed(part: Part):
    assert [secret.kind for secret in secrets()[part] if judged(secret).missed] == []


@pytest.mark.parametrize("part", PARTS)
def test_what_was_redacted_is_redacted(part: Part):
    cleaned = [redact(secret.text) for secret in secrets()[part] if not judged(secret).missed]
    assert all(REDACTED in one for one in cleaned)
    assert [redact(one) for one in cleaned] == cleaned


def test_every_form_can_be_used_and_tells_where_its_secret_is():
    rows = [row for name in ("forms.json", "gitleaks.json") for row in data(name)["forms"]]
    repeated = regex.compile(r"(?<!\\)\((?!\?)[^()]*\)[{*+]")
    for row in rows:
        # What is in the first group is the secret: a group that is repeated would be a piece of it.
        assert regex.compile(row["form"])
        assert not repeated.search(row["form"]), row["kind"]
    for row in data("gitleaks.json")["near"]:
        assert regex.compile(row["names"]).groups == 0
    assert all("secret" in regex.compile(row["form"]).groupindex for row in data("shapes.json")["shapes"])
