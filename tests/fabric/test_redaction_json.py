"""What is JSON stays JSON without its secrets, also inside of strings, and every place is one in the text as given."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.redaction import REDACTED, found, redact, redact_value

PASSWORD = "hunter2-and-more"
TOKEN = "gh" + "p_" + "a1" * 18


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"token":"USDC","amount":5,"pin":1234}', {"token": "USDC", "amount": 5, "pin": REDACTED}),
        (json.dumps({"a": [{"password": PASSWORD}]}), {"a": [{"password": REDACTED}]}),
        (json.dumps({"say": f"use {TOKEN} now"}), {"say": f"use {REDACTED} now"}),
        (json.dumps({"say": f'a "quoted" ü\n{TOKEN}'}), {"say": f'a "quoted" ü\n{REDACTED}'}),
        (json.dumps({"say": f"\U0001f600 {TOKEN}"}), {"say": f"\U0001f600 {REDACTED}"}),
        (json.dumps([TOKEN, 1.50, True, None]), [REDACTED, 1.5, True, None]),
        (json.dumps({"passwords": [PASSWORD, "x9y8z7w6"]}), {"passwords": [REDACTED, REDACTED]}),
        ('{"pin": true, "token": null, "secret": false}', {"pin": True, "token": None, "secret": False}),
    ],
)
def test_json_stays_json(text: str, left: Any):
    assert json.loads(redact(text)) == left


def test_json_inside_of_a_string_stays_json():
    inner = json.dumps({"user": "jake", "password": PASSWORD, "pin": 4711})
    cleaned = json.loads(redact(json.dumps({"arguments": inner})))
    assert json.loads(cleaned["arguments"]) == {"user": "jake", "password": REDACTED, "pin": REDACTED}


def test_what_holds_no_secret_keeps_its_bytes():
    text = '{ "a":1.50,\n "b" : [ 1e3 ,"\\u00fc" ] }'
    assert redact(text) == text


def test_places_are_those_in_the_text_as_given():
    text = json.dumps({"say": f'a "quoted" \n{TOKEN}'})
    (one,) = found(text)
    assert text[one.start : one.end] == TOKEN
    assert str(one) == f"github_token at {text.index(TOKEN)}-{text.index(TOKEN) + len(TOKEN)}"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.just(TOKEN),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4), st.sampled_from([None, 2]), st.booleans())
def test_any_json_stays_json_without_the_token(value: Any, indent: int | None, ascii_only: bool):
    cleaned = redact(json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    assert TOKEN not in json.dumps(json.loads(cleaned))


def test_values_keep_their_ids_and_numbers():
    value = {"id": TOKEN, "password": PASSWORD, "pin": 4711, "tags": [f"x {TOKEN}"], "source": {"turn_id": TOKEN}}
    assert redact_value(value) == {
        "id": TOKEN,
        "password": REDACTED,
        "pin": 4711,
        "tags": [f"x {REDACTED}"],
        "source": {"turn_id": TOKEN},
    }
    clean = {"a": [1, "b"]}
    assert redact_value(clean) is clean


@pytest.mark.parametrize("more", [{}, {f"field {number}": number for number in range(200)}])
def test_records_of_the_same_names_are_each_looked_at(more: dict[str, int]):
    clean = {"name": "pin", "value": "a", "note": "ok", "turn_id": TOKEN, "list": [], **more}
    assert redact_value(clean) is clean
    for _ in range(2):
        made = redact_value({**clean, "value": "4711", "note": TOKEN})
        assert made == {**clean, "value": REDACTED, "note": REDACTED}
        assert list(made) == list(clean)
    assert redact_value(clean) is clean
    named = {**more, TOKEN: "a"}
    assert redact_value(named) == {**more, REDACTED: "a"} == redact_value(dict(named))
