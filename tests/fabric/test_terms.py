"""Terms: which tokens of several words are found, and that no text takes long to cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.text.terms import compounds, read_cue, terms

MANY = 1_000_000
"""Characters of one message; a cut that reads a run again from each of its letters takes hours for so many."""
LONG = {
    "hexadecimal": "see: " + "0123456789abcdef" * (MANY // 16),
    "one word": "a: " + "a" * MANY,
    "without spaces": "中:" + "成語" * (MANY // 2),
    "dots": "a" + "." * MANY + "b",
    "dotted": "a." * (MANY // 2),
    "underscores": ": " + "_" * MANY,
    "words and signs": ("b" * 50 + "..." * 30) * (MANY // 140),
}


@pytest.mark.parametrize("shape", LONG)
def test_a_long_text_is_read_once(shape: str):
    assert terms(LONG[shape])
    assert len(read_cue(LONG[shape]).words) <= 64


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("call __init__ of my_module", ["__init__", "my_module"]),
        ("it ended... v2.3.1, at 10:30.", ["v2.3.1", "10:30"]),
        ("-x --flag a- -b", []),
        ("a well-known covid-19", ["covid-19"]),
        ("c++ and c#", []),
        ("user@example.org/path#top+", ["user@example.org/path#top"]),
        ("é_中 é.b", ["é_中", "é.b"]),
        ("__ _ a_", []),
    ],
)
def test_compounds_begin_and_end_with_a_word(text: str, found: list[str]):
    assert compounds(text) == found


@given(st.text(alphabet="ab_1-./:@ é中'", max_size=30))
def test_a_compound_stands_in_the_text_with_words_at_both_ends(text: str):
    for compound in compounds(text):
        assert compound in text
        assert all(end == "_" or end.isalnum() for end in (compound[0], compound[-1]))
        assert len(compound) > 2
