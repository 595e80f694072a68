"""Answers: a bare secret right behind a question that asks for one, in the same text or in the message before."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from .finding import Finding
from .labels import LEAST_NUMBER, LEAST_TOKEN, Sort, any_of, is_code, sort_of, stems, words_of_labels
from .shadow import shadow
from .signs import data, lowered, pattern_of
from .value import is_chosen, is_placeholder, is_random

TAIL = 300
"""How much of the end of a question is looked at."""
MOST_WORDS = 6
"""How many words an answer has at most that only gives what was asked for."""
LONGEST = 160
"""How many characters such an answer has at most."""
LONGEST_AROUND = 2_000
"""How many characters an answer has at most that sets off what was asked for among other words."""
_SET_OFF = re.compile(r"`([^\s`]{6,100})`|\*\*([^\s*`]{6,100})\*\*|^[ \t>]*([^\s`]{8,100})[ \t]*$", re.MULTILINE)
"""What stands in backticks, in bold, or alone on its line."""
_MARK = re.compile(r"[?？]['\")]?\s{1,3}(?:\w{1,15}:\s{0,3})?(?=(?P<answer>[^\n]{4,160}))")
_EDGES = "\"'`«»“”„‘’()[]<>.,;:!?。，！？"


def answered(question: str, answer: str) -> list[Finding]:
    """Return the secret in an answer that only gives what a question asks for; [] where there is none.

    >>> [str(one) for one in answered("What is your wifi password?", "hunter2-blue, I think")]
    ['password at 0-12']
    >>> answered("Did you change your password?", "yesterday")
    []
    """
    is_bare = len(answer) <= LONGEST and (len(answer) <= 4 * MOST_WORDS or answer.count(" ") <= MOST_WORDS + 2)
    if not is_bare and (
        len(answer) > LONGEST_AROUND or ("`" not in answer and "\n" not in answer and "**" not in answer)
    ):
        return []
    asked = _asked(shadow(question[-TAIL:]).text)
    if asked is None:
        return []
    return (_given(answer, *asked) if is_bare else []) or _set_off(answer, *asked)


def in_dialogue(text: str, lower: str) -> Iterator[Finding]:
    """Yield the secrets that answer a question which stands in the same text; ``lower`` is it in lower case."""
    is_asking = ("?" in text or "？" in text) and _stems().search(lower) is not None
    for mark in _MARK.finditer(text) if is_asking else ():
        asked = _asked(text[max(0, mark.start() - TAIL) : mark.start() + 1])
        if asked is not None:
            for finding in _given(mark["answer"], *asked):
                yield Finding(finding.start + mark.end(), finding.end + mark.end(), finding.kind)


def after_each(texts: Sequence[str]) -> list[list[Finding]]:
    """Return, for each message of a conversation, the secrets in it that answer a question in the one before.

    One list for each text, in their order, empty where there is none; offsets are in characters of that text.
    """
    return [answered(before, text) for before, text in zip(["", *texts], texts, strict=False)]


@cache
def _stems() -> "re.Pattern[str]":
    return re.compile(pattern_of(stems()))


@cache
def _asking() -> "re.Pattern[str]":
    rows = data("labels.json")
    other = rf"(?!\s(?:{any_of(rows['not_asked'])}))"
    label = rf"(?<![^\W_])(?:[\w-]{{1,15}}-)?(?P<label>{words_of_labels()})s?(?![^\W_]){other}"
    short = label.replace("?P<label>", "?P<short>")
    asks = rf"(?<![^\W_])(?:{any_of(rows['asks'])})(?![^\W_])[^.?!\n]{{0,60}}?{label}[^.?!\n]{{0,60}}(?:[.?!？:：]|$)"
    return re.compile(rf"{asks}|^[^.?!\n]{{0,30}}{short}\s?[?？:：]\s*$")


def _asked(question: str) -> tuple[str, Sort] | None:
    """Return the label and sort of the secret that a question asks for last."""
    lower = lowered(question)
    if _stems().search(lower) is None:
        return None
    found = next(iter(list(_asking().finditer(lower))[-1:]), None)
    if found is None:
        return None
    label = found["label"] or found["short"]
    return label, sort_of(label)


def _given(answer: str, label: str, sort: Sort) -> list[Finding]:
    words = list(re.finditer(r"\S+", answer))
    if not 0 < len(words) <= MOST_WORDS:
        return []
    secrets = [span for span in map(_bare, words) if _is_secret(shadow(answer[span[0] : span[1]]).text, label, sort)]
    kind = re.sub(r"[\s_-]", "_", label)
    return [Finding(start, end, kind) for start, end in secrets] if len(secrets) == 1 else []


def _set_off(answer: str, label: str, sort: Sort) -> list[Finding]:
    """Return what an answer sets off and is such a secret: a model wraps the one that it makes in words."""
    places = [found.span(found.lastindex or 0) for found in _SET_OFF.finditer(answer)]
    kind = re.sub(r"[\s_-]", "_", label)
    return [Finding(at, end, kind) for at, end in places if _is_secret(shadow(answer[at:end]).text, label, sort)]


def _bare(word: "re.Match[str]") -> tuple[int, int]:
    start = word.start() + len(word[0]) - len(word[0].lstrip(_EDGES))
    return start, max(start, word.end() - (len(word[0]) - len(word[0].rstrip(_EDGES))))


def _is_secret(value: str, label: str, sort: Sort) -> bool:
    if len(value) < LEAST_NUMBER or is_placeholder(value):
        return False
    if sort == "digits":
        return is_code(value, label)
    if sort == "weak":
        return is_random(value, LEAST_TOKEN)
    return is_chosen(value) or value.isdigit()
