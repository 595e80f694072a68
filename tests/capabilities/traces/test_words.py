"""Words of a trace: those of SQLite FTS5 for ASCII text, and more than its for everything else."""

import sqlite3
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capabilities.traces.words import WORD, count_words, trace_terms, trace_words
from fabric.text.words import word_set
from tests.soak import examples

ASCII = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60)
ENDINGS = word_set(
    "s es ies ss eed ed ing y ational tional enci anci izer alli entli eli ousli ization ation ator alism iveness "
    "fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able ible ant "
    "ement ment ent sion tion ou ism ate iti ous ive ize e ll le"
)


@st.composite
def english_like(draw: st.DrawFn) -> str:
    root = draw(st.text("abcdefghijklmnoprstuvwxyz", min_size=2, max_size=6))
    return root + "".join(draw(st.lists(st.sampled_from(sorted(ENDINGS)), max_size=2)))


def fts5_words(text: str) -> Counter[str]:
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE texts USING fts5(content, tokenize = 'porter ascii')")
        database.execute("CREATE VIRTUAL TABLE words USING fts5vocab(texts, 'row')")
    except sqlite3.OperationalError as error:
        pytest.skip(f"this Python's SQLite has no FTS5: {error}")
    database.execute("INSERT INTO texts VALUES (?)", [text])
    return Counter(dict(database.execute("SELECT term, cnt FROM words")))


@given(ASCII)
def test_the_words_of_ascii_text_are_those_of_fts5(text: str):
    assert Counter(trace_words(text)) == fts5_words(text)


@settings(max_examples=examples(200))
@given(st.lists(english_like(), min_size=1, max_size=30))
def test_the_stems_of_english_words_are_those_of_fts5(words: list[str]):
    assert Counter(trace_words(" ".join(words))) == fts5_words(" ".join(words))


def test_the_rules_that_porter_added_to_his_paper_hold_as_in_fts5():
    words = "possibly psychology assemblies analogies nobly logy ably eulogy incredibly biology terribly doubly ugly"
    assert Counter(trace_words(words)) == fts5_words(words)


def test_case_width_and_composition_do_not_matter():
    assert trace_words("ÉCOLE") == trace_words("école") == trace_words("e\u0301cole") == trace_words("ｅ\u0301cole")


def test_a_picture_is_a_word_and_its_variation_is_none():
    assert trace_words("pizza 🍕 night ❤️") == ["pizza", "🍕", "night", "❤"]


@pytest.mark.parametrize(("text", "words"), [("我喜欢", ["我喜", "喜欢"]), ("ร้าน", ["ร้", "้า", "าน"]), ("東", ["東"])])
def test_a_script_without_spaces_is_cut_into_pairs(text: str, words: list[str]):
    assert trace_words(text) == words


def test_each_character_of_a_run_without_spaces_begins_a_term():
    terms = trace_terms({"content": "東京tower大阪", "tags": []})
    assert all(any(term.startswith(WORD + character) for term in terms) for character in "東京大阪")


def test_neighbours_do_not_span_content_and_tags_nor_two_tags():
    terms = trace_terms({"content": "dark mode", "tags": ["night", "blue sky"]})
    assert [term for term in terms if "+" in term] == ["=dark+mode", "=blue+sky"]


def test_a_deleted_trace_has_no_term():
    assert trace_terms({"content": "dark mode", "tags": ["ui"], "deleted": True}) == []


def test_a_run_without_spaces_counts_as_one_word():
    assert count_words("我喜欢东京 now", ["a b"]) == 4


@given(st.text(), st.lists(st.text(), max_size=3))
def test_any_text_has_terms_without_white_space(content: str, tags: list[str]):
    terms = trace_terms({"content": content, "tags": tags})
    assert all(term and " " not in term for term in terms)
    assert (count_words(content, tags) > 0) == any(term[0] in "=^" for term in terms)
