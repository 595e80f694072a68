"""What a sentence opens with: a pronoun of its subject is cut, a word that only begins like one is not."""

import pytest

from capabilities.claims import read, read_as


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("Height is 181 cm", "height", "181 cm"),
        ("Heißt Jürgen", "name", "Jürgen"),
        ("He lives in Rome", "home", "Rome"),
        ("Sie heißt Anna", "name", "Anna"),
        ("她住在北京", "home", "北京"),
    ],
)
def test_only_a_whole_pronoun_is_cut(text: str, attribute: str, value: str) -> None:
    claim = read(text, "anna")
    assert claim is not None
    assert (claim.subject, claim.attribute, claim.value) == ("anna", attribute, value)


@pytest.mark.parametrize("text", ["He is not my boss any more", "He is no longer my boss"])
def test_what_is_not_so_any_more_is_over_wherever_that_stands(text: str) -> None:
    assert read_as(text).polarity == "ended"
