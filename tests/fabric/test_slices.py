"""Long work is done in slices: in order, whole, and never cut within a word."""

import pytest

from fabric.slices import SLICE, slices
from fabric.text.terms import LONG_CHARS, prepare_terms, terms


@pytest.mark.parametrize(
    "sentence",
    ["我们在北京工作，今天天气很好。", "Anna's dogs run v2.3.1 and app.py! ", "я иду домой. ", "我们在北京工作"],
)
def test_a_text_is_cut_between_words(sentence: str):
    text = sentence * 3_000
    cut = list(slices(text))
    assert "".join(cut) == text
    assert all(len(one) >= SLICE or one is cut[-1] for one in cut)
    short = sentence * 3
    assert set(terms(text)) >= set(terms(short))


def test_a_list_is_cut_anywhere():
    assert [len(piece) for piece in slices(list(map(str, range(2 * SLICE + 1))))] == [SLICE, SLICE, 1]


def test_terms_that_were_prepared_are_those_that_are_found():
    text = "Anna works at Stripe in Dublin. " * (LONG_CHARS // 20)
    prepare_terms([text])
    assert terms(text, "Jake")[-1] == "jake"
    assert terms(text)[:2] == ["anna", "work\tworks"]
