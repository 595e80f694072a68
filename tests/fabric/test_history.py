"""History keeps whole turns and whole tool exchanges, whatever was recorded in whatever order."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.errors import ConfigurationError
from fabric.models.base import Message
from fabric.record.history import History, history_messages, history_of, message_tokens
from fabric.record.items import Draft, Item

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ALL = History()


def said(text: str) -> Draft:
    return Draft("user", "message", text)


def answered(text: str) -> Draft:
    return Draft("assistant", "message", text)


def called(call_id: str, name: str = "look", text: str = "{}") -> Draft:
    return Draft("assistant", "tool_call", text, name=name, call_id=call_id)


def result(call_id: str, text: str = "found") -> Draft:
    return Draft("tool", "tool_result", text, name="look", call_id=call_id)


def session(*drafts: Draft) -> list[Item]:
    items: list[Item] = []
    turn = 0
    for seq, draft in enumerate(drafts, 1):
        turn += (draft.role, draft.kind) == ("user", "message")
        items.append(
            Item(
                f"i{seq}", seq, turn, draft.role, draft.kind, draft.text, NOW, "chat",
                draft.name, draft.call_id, draft.parts, draft.data,
            )
        )  # fmt: skip
    return items


def shape(messages: list[Message]) -> list[Any]:
    return [
        [m["content"], *(call["id"] for call in m["tool_calls"])]
        if "tool_calls" in m
        else (m["tool_call_id"], m["content"])
        if m["role"] == "tool"
        else m["content"]
        for m in messages
    ]


@pytest.mark.parametrize("limits", [{"turns": 0}, {"tokens": 0}, {"turns": -1}, {"turns": True}])
def test_a_limit_that_cannot_work_is_refused(limits: dict[str, int]) -> None:
    with pytest.raises(ConfigurationError, match="history"):
        History(**limits)


def test_what_the_option_means() -> None:
    assert history_of(False) is None
    assert history_of(True) == History()
    assert history_of(3) == History(turns=3)
    assert history_of(History(tokens=9)) == History(tokens=9)
    with pytest.raises(ConfigurationError):
        history_of(0)


def test_the_last_turns_count_not_the_items() -> None:
    items = session(said("1"), answered("a"), said("2"), said("3"), answered("b"), answered("c"))
    assert shape(history_messages(items, History(turns=2))) == ["2", "3", "b", "c"]


def test_whole_turns_are_packed_from_the_end() -> None:
    items = session(said("x" * 40), answered("y" * 40), said("z" * 40), answered("w" * 40))
    for tokens, kept in [(40, 4), (39, 2), (20, 2), (19, 2), (1, 2)]:
        assert len(history_messages(items, History(tokens=tokens))) == kept


def test_both_limits_hold() -> None:
    items = session(*(said("x" * 4) for _ in range(10)))
    assert len(history_messages(items, History(turns=5, tokens=3))) == 3
    assert len(history_messages(items, History(turns=2, tokens=30))) == 2


def test_calls_of_one_breath_are_one_message_with_the_text_beside_them() -> None:
    items = session(
        said("q"), answered("let me see"), called("1"), called("2"), result("1"), result("2"), answered("so")
    )
    assert shape(history_messages(items, ALL)) == ["q", ["let me see", "1", "2"], ("1", "found"), ("2", "found"), "so"]


def test_two_steps_stay_two_messages() -> None:
    items = session(said("q"), called("1"), result("1"), called("2"), result("2"))
    assert shape(history_messages(items, ALL)) == ["q", [None, "1"], ("1", "found"), [None, "2"], ("2", "found")]


def test_ids_that_come_again_pair_with_the_nearest_call() -> None:
    items = session(said("q"), called("c"), result("c", "one"), said("r"), called("c"), result("c", "two"))
    assert shape(history_messages(items, ALL)) == ["q", [None, "c"], ("c", "one"), "r", [None, "c"], ("c", "two")]
    assert shape(history_messages(items, History(turns=1))) == ["r", [None, "c"], ("c", "two")]


def test_orphans_are_dropped_and_their_neighbours_stay() -> None:
    items = session(
        result("0"), said("q"), called("1"), called("lost"), result("1"), result("stray"), called(""), result("")
    )
    assert shape(history_messages(items, ALL)) == ["q", [None, "1"], ("1", "found")]


def test_what_came_between_a_call_and_its_result_comes_after_both() -> None:
    items = session(said("q"), called("1"), said("wait"), answered("hm"), result("1"))
    assert shape(history_messages(items, ALL)) == ["q", [None, "1"], ("1", "found"), "wait", "hm"]


def test_outcomes_errors_system_messages_and_empty_ones_are_left_out() -> None:
    items = session(
        Draft("system", "message", "be brief"),
        said("q"),
        Draft("assistant", "outcome", "stored"),
        Draft("assistant", "error", "broke"),
        answered(" "),
        answered("a"),
    )
    assert shape(history_messages(items, ALL)) == ["q", "a"]


def test_a_part_that_is_not_text_is_named() -> None:
    parts = ({"type": "image_url", "note": "image_url part, not text"}, {"type": "audio"}, {})
    items = session(Draft("user", "message", "look", parts=parts), Draft("user", "message", "", parts=parts[:1]))
    assert shape(history_messages(items, ALL)) == [
        "look\n[image_url part, not text]\n[audio]\n[part, not text]",
        "[image_url part, not text]",
    ]


ids = st.sampled_from(["", "a", "b", "c"])
texts = st.text(max_size=30)
drafts = st.one_of(
    st.builds(said, texts),
    st.builds(answered, texts),
    st.builds(called, ids, st.just("look"), texts),
    st.builds(result, ids, texts),
    st.just(Draft("assistant", "outcome", "stored")),
    st.just(Draft("system", "message", "be brief")),
)
sessions = st.lists(drafts, max_size=40).map(lambda made: session(*made))
limits = st.builds(History, st.none() | st.integers(1, 5), st.none() | st.integers(1, 60))


@given(sessions, limits)
def test_every_call_has_its_result_directly_after_it(items: list[Item], limit: History) -> None:
    expected: list[str] = []
    for message in history_messages(items, limit):
        if message["role"] == "tool":
            assert expected
            assert message["tool_call_id"] == expected.pop(0)
            continue
        assert not expected
        assert message["content"] or message.get("tool_calls")
        expected = [call["id"] for call in message.get("tool_calls", ())]
    assert not expected


@given(sessions, limits)
def test_what_is_kept_is_an_end_of_the_whole_cut_between_turns(items: list[Item], limit: History) -> None:
    whole, kept = history_messages(items, ALL), history_messages(items, limit)
    assert kept == whole[len(whole) - len(kept) :]
    assert bool(kept) == bool(whole)
    last_turn = history_messages(items, History(turns=1))
    assert len(kept) >= len(last_turn)
    if limit.tokens is not None and len(kept) > len(last_turn):
        assert sum(map(message_tokens, kept)) <= limit.tokens
    if limit.turns is not None:
        assert kept == history_messages(items, History(turns=limit.turns))[-len(kept) or len(whole) :]


@given(sessions, st.integers(1, 60))
def test_one_more_turn_would_not_have_fitted(items: list[Item], tokens: int) -> None:
    kept = history_messages(items, History(tokens=tokens))
    more = next(
        (longer for turns in range(1, 50) if len(longer := history_messages(items, History(turns=turns))) > len(kept)),
        None,
    )
    assert more is None or sum(map(message_tokens, more)) > tokens
