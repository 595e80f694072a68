"""A prompt has room for so many tokens; the first lines are the important ones."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.line_budget import pack, tokens
from fabric.text.words import estimate_tokens

lines = st.lists(st.text(st.characters(exclude_characters="\n"), max_size=20), max_size=12)


@given(st.integers(0, 10**9))
def test_four_characters_are_a_token_and_any_rest_is_one_more(characters: int):
    assert tokens(characters) == math.ceil(characters / 4)


def test_a_negative_length_is_refused():
    with pytest.raises(ValueError, match="characters is -1"):
        tokens(-1)


@given(lines, st.integers(-5, 100))
def test_what_is_kept_fits_when_joined_and_one_line_more_would_not(given_lines: list[str], budget: int):
    kept = pack(given_lines, budget)
    assert kept == given_lines[: len(kept)]
    assert not kept or estimate_tokens("\n".join(kept)) <= budget
    if len(kept) < len(given_lines):
        assert estimate_tokens("\n".join(given_lines[: len(kept) + 1])) > budget


def test_a_line_that_does_not_fit_ends_it_even_if_a_later_one_would():
    assert pack(["aaaa", "b" * 100, "c"], 3) == ["aaaa"]


def test_line_breaks_are_paid_for():
    assert pack(["aaaa", "bbbb"], 2) == ["aaaa"]
    assert pack(["aaaa", "bbb"], 2) == ["aaaa", "bbb"]
