"""Queries: operators and plain language told apart, whatever is typed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.traces.search.query import And, Node, Not, Or, Phrase, Prefix, Query, Term, natural
from capabilities.traces.search.reading import parse

GOLDEN = Path(__file__).parents[3] / ".." / "shared" / "golden" / "agentos" / "text_helpers.json"
A, B, C = Term("a"), Term("b"), Term("c")
SIGNS = st.text(st.sampled_from('ab "*()^-+:{}?AND OR NOT tags:éß東🍕\t'), max_size=40)


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a b", And((A, B))),
        ("a AND b", And((A, B))),
        ("a OR b", Or((A, B))),
        ("a NOT b", And((A, Not(B)))),
        ("a AND NOT b", And((A, Not(B)))),
        ("a -(b)", And((A, Not(B)))),
        ("NOT a", Not(A)),
        ("a OR b AND c", Or((A, And((B, C))))),
        ("a b NOT c", And((And((A, B)), Not(C)))),
        ("a NOT b NOT c", And((A, Not(B), Not(C)))),
        ("(a OR b) AND c", And((Or((A, B)), C))),
        ("a + b", And((A, B))),
        ('"a b"', Phrase(("a", "b"))),
        ('"a b"*', Phrase(("a", "b"), is_open=True)),
        ("“a b”", Phrase(("a", "b"))),
        ("a-b", Phrase(("a", "b"))),
        ("a:b", Phrase(("a", "b"))),
        ("typ*", Prefix("typ", "typ")),
        ("^a", Term("^a")),
        ("tags:a", Term("#a")),
        ('tags:"a b"', And((Term("#a"), Term("#b")))),
        ("C++", Term("c++")),
        ("C# OR c", Or((Term("c#"), C))),
        ('NEAR("a b" c, 5)', And((Phrase(("a", "b")), C))),
        ("NEAR(a b) OR c", Or((And((A, B)), C))),
    ],
)
def test_operators_phrases_and_prefixes_are_read_as_documented(text: str, root: Node):
    assert parse(text).root == root


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("a AND", A),
        ("AND a", A),
        ("a OR OR b", Or((A, B))),
        ("(a", A),
        ("a) OR b", Or((A, B))),
        ('"a b', And((A, B))),
        ("--a", A),
        ("a - b", And((A, B))),
        ("temperature -5", And((Term("temperatur"), Term("5")))),
        ("{a}", A),
        ("a * b", And((A, B))),
        ("NOT", Term("not")),
        ("OR OR", And((Term("or"), Term("or")))),
        ("🍕", Term("🍕")),
    ],
)
def test_what_only_looks_like_syntax_is_ignored(text: str, root: Node):
    assert parse(text).root == root


@pytest.mark.parametrize("text", ["", "   ", '"', "*", "()", "^", "{", "???", "+", "-", '""', "\x00", "((((("])
def test_a_query_without_a_word_asks_for_nothing(text: str):
    assert parse(text) == Query(None)


def test_plain_language_asks_for_all_words_and_otherwise_for_any():
    query = parse("What does Alice prefer")
    assert query.root == And((Term("what"), Term("doe"), Term("alic"), Term("prefer")))
    assert query.otherwise == natural("alice prefer").root


@pytest.mark.parametrize("text", ["a AND b", "a OR b", "NOT a", "a -b", '"a"', "a*", "^a", "tags:a"])
def test_a_query_with_a_sign_asks_for_nothing_else(text: str):
    assert parse(text).otherwise is None


def test_a_question_mark_changes_nothing():
    assert parse("What does Alice prefer?") == parse("What does Alice prefer")


def test_operators_are_words_when_they_are_not_in_capitals():
    assert parse("a not b").root == And((A, Term("not"), B))


def test_a_minus_before_an_operator_is_no_exclusion():
    assert parse("-NOT a").root == And((Term("not"), A))


def test_the_one_letter_name_of_a_language_is_looked_for_as_it_is():
    assert natural("C language").root == Or((C, Prefix("languag", "language")))


def test_a_deep_and_a_long_query_are_read():
    assert parse("(" * 19_000 + "a").root == A
    assert parse("(a " * 6_000).root is not None
    assert parse("NOT a " * 3_000).root is not None


@given(st.one_of(SIGNS, st.text()))
def test_any_text_is_a_query(text: str):
    assert isinstance(parse(text), Query)
    assert isinstance(natural(text), Query)


def test_natural_language_becomes_the_prefixes_that_the_reference_asks_for():
    if not GOLDEN.exists():
        pytest.skip(f"needs {GOLDEN.name} beside the project")
    cases = json.loads(GOLDEN.read_text())["functions"]["natural_language_fts_query"]["cases"]
    # Of a script without spaces a pair of characters is a whole term here, not the beginning of one.
    different = {case["id"] for case in cases if _prefixes(natural(case["input"]["query"])) != case["output"]}
    assert different <= {"natural_language_fts_query-015"}
    assert len(cases) > 50


def _prefixes(query: Query) -> str:
    parts = query.root.parts if isinstance(query.root, Or) else [query.root] if query.root else []
    assert all(isinstance(part, Prefix | Term) for part in parts)
    return " OR ".join(f"{part.spelled}*" for part in parts if isinstance(part, Prefix))
