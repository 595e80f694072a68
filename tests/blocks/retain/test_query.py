"""The question of a first turn: what was said before as far as it fits, the message always."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blocks.retain.first_turn import PRIOR_CONTEXT, compose_query
from capabilities.retain.transcript import Said

AT = datetime(2026, 11, 29, tzinfo=UTC)
EARLIER = [
    Said("user", "We moved to DuckDB.", 1, AT),
    Said("assistant", "Noted:\nDuckDB.", 1, AT),
    Said("user", "Tests use pytest.", 2, AT),
    Said("assistant", "Fine.", 2, AT),
]


def test_one_turn_asks_with_the_message_alone():
    assert compose_query(EARLIER, " How do I run one? ", 1, 800) == "How do I run one?"


def test_earlier_turns_are_lines_before_the_message():
    assert compose_query(EARLIER, "How?", 3, 800) == (
        "Prior context:\nuser: We moved to DuckDB.\nassistant: Noted: DuckDB.\nuser: Tests use pytest.\n"
        "assistant: Fine.\n\nHow?"
    )
    assert "DuckDB" not in compose_query(EARLIER, "How?", 2, 800)


@pytest.mark.parametrize(
    ("most", "lines"),
    [
        (61, ["user: Tests use pytest.", "assistant: Fine."]),
        (60, ["assistant: Fine."]),
        (37, ["assistant: Fine."]),
        (36, []),
    ],
)
def test_the_oldest_lines_are_dropped_first(most: int, lines: list[str]):
    query = compose_query(EARLIER, "How?", 3, most)
    assert query == ("\n".join([PRIOR_CONTEXT, *lines, "", "How?"]) if lines else "How?")


def test_the_message_is_cut_only_where_it_alone_is_too_long():
    assert compose_query(EARLIER, "x" * 50, 3, 50) == "x" * 50
    assert compose_query(EARLIER, "x" * 51, 3, 50) == "x" * 50


@given(
    st.lists(st.text(max_size=40), max_size=8), st.text(min_size=1, max_size=60), st.integers(1, 5), st.integers(1, 200)
)
def test_it_is_never_longer_than_the_limit_and_ends_with_the_message(
    texts: list[str], message: str, turns: int, most: int
):
    query = compose_query([Said("user", text, turn, AT) for turn, text in enumerate(texts, 1)], message, turns, most)
    assert len(query) <= most
    assert query.endswith(message.strip()[:most])
