"""Everyday statements in many wordings, each with whom it tells of what, and whether that holds or is over."""

import json
from pathlib import Path
from typing import Any

import pytest

from blocks.readers.observe import observe_text
from capabilities.claims import ATTRIBUTES, OTHER, claim_of

WORDINGS: dict[str, list[list[str]]] = json.loads((Path(__file__).parent / "wordings.json").read_text("utf-8"))


def fits(seen: Any, who: str, attribute: str, value: str, how: str) -> bool:
    """Return whether an observation says that; with the attribute "any", by its text under any attribute it knows."""
    claim = claim_of(seen)
    told = claim.attribute != "other" and attribute in ("any", claim.attribute)
    where = f"{claim.value} {claim.text} {claim.of}" if attribute == "any" else claim.value
    is_so = claim.subject == who and (claim.polarity == "holds") == (how == "holds")
    return told and is_so and value.casefold() in where.casefold()


def test_of_every_attribute_there_is_a_sentence_that_states_it() -> None:
    assert {*ATTRIBUTES} - {OTHER} - {attribute for rows in WORDINGS.values() for _, _, attribute, *_ in rows} == set()


@pytest.mark.parametrize("language", WORDINGS)
def test_what_is_said_in_many_wordings_is_understood(language: str) -> None:
    missed = [row for row in WORDINGS[language] if not any(fits(seen, *row[1:]) for seen in observe_text(row[0]))]
    assert missed == []
