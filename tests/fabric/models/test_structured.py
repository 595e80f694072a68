"""Reading a model's text as a schema: properties over any text and any cut, and the shapes that models write."""

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from fabric.errors import OutputError
from fabric.models.answers.shaping import absurd
from fabric.models.answers.structured import parse
from fabric.text.words import uncontrolled
from tests.stub_server import BAD_ANSWERS, GOOD

from .answer import Answer

CONTENT = (
    st.text(min_size=1, max_size=60).map(uncontrolled).filter(lambda each: each.strip() and absurd(each, None) is None)
)
CONTENTS = st.lists(CONTENT, min_size=1, max_size=8, unique=True)
AROUND = st.sampled_from(
    ["", "Sure: ", "<think>{}</think>", "```json\n", "[1] ", "<thinking>hm [</thinking>\n", "\ufeff", "Note {x}: "]
)


class Summary(BaseModel):
    title: str
    mood: Literal["good", "bad"] = "good"
    score: float | None = None


class Plan(BaseModel):
    summary: str
    keep: list[str] = Field(default=[], max_length=3)
    merge: list[Summary] = []


def written(contents: list[str], *, ascii_only: bool = True) -> str:
    items = [{"content": content, "importance": 0.5} for content in contents]
    return json.dumps({"observations": items}, ensure_ascii=ascii_only)


def read(text: str, schema: type[BaseModel], finish: str = "stop") -> Any:
    """Return what came of it: a Parsed or the OutputError."""
    try:
        return parse(text, schema, finish=finish)
    except OutputError as error:
        return error


@given(CONTENTS, AROUND, st.sampled_from(["", "\n```", " Anything else?", " []"]), st.booleans())
def test_good_items_survive_whatever_is_around_them(contents: list[str], before: str, after: str, ascii_only: bool):
    parsed = parse(before + written(contents, ascii_only=ascii_only) + after, Answer)
    assert parsed.value.contents == tuple(contents)
    assert not parsed.truncated


@given(CONTENTS, st.data(), st.sampled_from(["stop", "length"]))
def test_of_a_cut_answer_the_complete_items_are_kept_and_never_a_half_one(
    contents: list[str], data: st.DataObject, finish: str
):
    text = written(contents)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    complete = cut.count('"importance": 0.5}')
    outcome = read(cut, Answer, finish)
    assert outcome.truncated
    assert contents[:complete] == ([] if isinstance(outcome, OutputError) else list(outcome.value.contents))


@given(st.one_of(st.text(max_size=300), st.text("{}[]\",:\\'ab1 \n", max_size=200)))
def test_any_text_is_read_or_refused_with_a_typed_error(text: str):
    for schema in (Answer, Plan, Summary):
        outcome = read(text, schema)
        assert outcome.raw == text if isinstance(outcome, OutputError) else isinstance(outcome.value, schema)


@given(
    st.lists(st.one_of(CONTENT.map(lambda each: {"content": each}), st.integers(), st.none(), st.just({})), max_size=25)
)
def test_every_item_is_kept_or_refused_with_its_place(items: list[object]):
    outcome = read(json.dumps({"observations": items}), Answer)
    if isinstance(outcome, OutputError):
        assert "every item was refused" in str(outcome)
        return
    places = {refused.index for refused in outcome.refused}
    good = [item["content"] for index, item in enumerate(items) if index not in places and isinstance(item, dict)]
    assert list(outcome.value.contents) == good
    assert all(refused.reason and refused.item == items[refused.index] for refused in outcome.refused)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"title": "tea", "mood": "bad", "score": 1}', Summary(title="tea", mood="bad", score=1)),
        ('{"result": {"title": "tea"}}', Summary(title="tea")),
        ('[{"title": "tea"}]', Summary(title="tea")),
        ('{"Title": "tea", "mood": "GOOD"}', Summary(title="tea")),
        ('{"headline": "tea"}', None),
        ('{"title": "tea", "mood": "go', Summary(title="tea")),
        ('{"title": 42}', Summary(title="42")),
        ('{"title": "tea", "score": "NaN"}', None),
        ('First {"title": "draft"}, then {"title": "tea"}', Summary(title="tea")),
    ],
)
def test_an_object_without_a_list(text: str, expected: Summary | None):
    if expected is None:
        with pytest.raises(OutputError):
            parse(text, Summary)
    else:
        assert parse(text, Summary).value == expected


def test_several_lists_are_each_read_item_by_item():
    text = '{"summary": "s", "keep": ["a", "b", "c", "d"], "merge": [{"title": "t"}, {"mood": "bad"}]}'
    parsed = parse(text, Plan)
    assert parsed.value == Plan(summary="s", keep=["a", "b", "c"], merge=[Summary(title="t")])
    assert [(each.field, each.index) for each in parsed.refused] == [("keep", 3), ("merge", 1)]


def test_one_value_or_null_for_a_list():
    assert parse('{"summary": "s", "keep": "a", "merge": null}', Plan).value == Plan(summary="s", keep=["a"])


def test_an_empty_list_is_an_answer_and_an_empty_object_is_none():
    assert parse('{"observations": []}', Answer).value.contents == ()
    with pytest.raises(OutputError, match="observations"):
        parse("{}", Answer)


def test_what_was_done_to_the_text_is_told():
    assert not parse(GOOD, Answer).repaired
    assert parse(f"Sure: {GOOD}", Answer).repaired
    assert parse(BAD_ANSWERS["bare array"].text, Answer).repaired


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("200 items", "over the limit of 25 items"),
        ("item of 1 MB", "at most 2,000"),
        ("one word repeated", "one word ('no') repeated 200 times"),
        ("one sign repeated", "one character ('哈') repeated 300 times"),
        ("duplicates", "repeats item 0"),
        ("number too large", "importance"),
    ],
)
def test_absurd_items_are_refused_with_a_reason(name: str, reason: str):
    refused = parse(BAD_ANSWERS[name].text, Answer).refused
    assert reason in refused[0].reason


def test_the_length_of_texts_is_the_callers_choice():
    essay = json.dumps({"title": "A long story about tea. " + "word by word, ".join(map(str, range(400)))})
    with pytest.raises(OutputError, match="characters"):
        parse(essay, Summary)
    assert len(parse(essay, Summary, longest=None).value.title) > 2_000


@pytest.mark.parametrize(
    "garbage",
    [
        '{["a,:' * 800_000,
        "<think>" * 700_000,
        "<think></THINK>" * 340_000,
        "[[" + "1," * 2_500_000,
        '{"a":' * 1_000_000,
        "`" * 5_000_000,
        '{"observations": [' + "7, " * 1_500_000 + "]}",
        "\\" * 5_000_000,
        "'" * 5_000_000,
    ],
    ids=lambda garbage: garbage[:12],
)
def test_five_megabytes_of_garbage_end_in_a_typed_error(garbage: str):
    with pytest.raises(OutputError):
        parse(garbage, Answer)


def test_code_in_an_answer_is_text():
    text = '{"observations": [{"content": "__import__(\'os\').abort()"}]}'
    assert parse(text, Answer).value.contents == ("__import__('os').abort()",)
