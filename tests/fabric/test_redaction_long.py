"""Long texts are looked at in windows: nothing is missed at their seams, and the work grows with the length only."""

import json
import sys
from types import FrameType
from typing import Any

import pytest

from fabric.redaction import REDACTED, Finding, found, redact
from fabric.redaction.text import WINDOW, in_windows
from tests.bench.redaction.labelled import all_of

FILLER = "The weather was fine and nobody said a word about it. "
KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq8xQ\n" * 700 + "-----END RSA PRIVATE KEY-----"


def test_secrets_are_found_wherever_the_seams_of_windows_fall():
    labelled = all_of(["tuned", "held-out"])
    text, places = "", list[tuple[int, int]]()
    for one in labelled:
        if one.places and one.family != "phrase":
            begin = len(text) + len(FILLER)
            places += [(begin + start, begin + end) for start, end in one.places]
            text += f"{FILLER}{one.text}\n{FILLER}\n"
    for shift in range(0, WINDOW, WINDOW // 3):
        # With a word in front it is no JSON, and each shift puts the seams elsewhere.
        secrets = found("Hello " * (shift // 6) + text)
        missed = [
            text[start:end]
            for start, end in places
            if not any(
                secret.start <= start + shift // 6 * 6 and end + shift // 6 * 6 <= secret.end for secret in secrets
            )
        ]
        assert missed == []


def test_a_key_longer_than_a_window_is_taken_out_whole():
    for before in (0, WINDOW - 40, WINDOW - 2_000):
        text = f"{'word ' * (before // 5)}\n{KEY}\n{FILLER * 300}"
        cleaned = redact(text)
        assert cleaned.count(REDACTED) == 1
        assert "MIIE" not in cleaned
        assert cleaned.endswith(FILLER)


def test_windows_cut_words_only_where_there_is_no_gap():
    seen: list[str] = []

    def note(piece: str) -> list[Finding]:
        seen.append(piece)
        return []

    in_windows("x" * 50_000 + " " + FILLER * 1_000, note)
    assert all(len(piece) < 2 * WINDOW for piece in seen)
    assert sum(map(len, seen)) < 1.5 * (50_000 + len(FILLER) * 1_000)


HOSTILE = {
    "labels": "token=",
    "short labels": "otp= ",
    "labels without spaces": "密码",
    "accounts": "DE44 ",
    "accounts that fit": "GB82 WEST 1234 5698 7654 33 ",
    "tokens": "glpat-",
    "headers of tokens": "eyJ-",
    "keys": "-----BEGIN PRIVATE KEY-----",
    "cards": "4111 1111 1111 1112 ",
    "words of phrases": "abandon ",
    "addresses": "://a:",
    "digits": "4 ",
    "characters that nobody sees": "\u200b",
    "tokens with such characters": "g\u200bh\u200bp\u200b_",
    "look-alikes": "p\u0430",
    "wide digits": "\uff14\uff11 ",
    "joined emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 ",
    "questions": "password? ",
    "labels for something": "password for a b c d ",
}


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_the_work_on_a_hostile_text_grows_with_its_length_only(unit: str):
    _assert_linear([(unit * 60_000)[: size * WINDOW] for size in (2, 8)])


def test_the_work_on_many_secrets_in_json_grows_with_its_length_only():
    _assert_linear([json.dumps({"said": "my pin is 1234, \n" * count}) for count in (1_000, 4_000)])
    _assert_linear([json.dumps([{"pin": 1234}] * count) for count in (500, 2_000)])


def test_a_long_text_is_looked_at_once_however_often_it_passes():
    text = FILLER * 400 + "my password is hunter2x9"
    first = _calls(text)
    cleaned = redact(text)
    again = _calls(text) + _calls(cleaned)
    assert REDACTED in cleaned
    assert again < first / 10


def _assert_linear(texts: list[str]) -> None:
    """Assert that four times as long a text takes at most five times as many calls, and few for each character."""
    short, long = map(_calls, texts)
    assert long <= 5 * short
    assert long <= 12 * len(texts[1])


def _calls(text: str) -> int:
    """Return how many functions, of Python's own too, are called while secrets are looked for in a text."""
    made = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    found("the pin is 4711, " + text[:WINDOW])  # reads the rules
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found(text)
    finally:
        sys.setprofile(before)
    return made
