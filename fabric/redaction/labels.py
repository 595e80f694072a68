"""Labels: what stands behind a word for a secret, as in ``DB_PASS=x``, ``"apiKey": "x"`` or "my password was x"."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

from .data import data
from .finding import REDACTED, Finding
from .signs import pattern_of
from .value import is_chosen, is_placeholder, is_random

Sort = Literal["unspaced", "digits", "strong", "weak"]
SORTS: tuple[Sort, ...] = ("weak", "strong", "digits", "unspaced")
LEAST_SPOKEN, LEAST_TOKEN, LEAST_WORD, LEAST_NUMBER = 12, 8, 6, 4
_BETWEEN = re.compile(r"[\s_-]")
_DIGIT = re.compile(r"\d")
_BREAK = re.compile(r"""[\s"'`,;&<>(){}\[\]。，；：、！？]""")
MOST_IN_A_RUN = 32
"""How many labels are looked behind in a run of characters without a break: the values of all of them are one."""
_PARAMETER = re.compile(r"&[\w.-]+=")
_VALUE = re.compile(
    r"""(?P<open>\\?["'`]|[«“‘「„])(?P<quoted>[^"'`»”’」\n\\]{1,200}+)(?:\\?["'`]|[»”’」])"""
    r"""|(?P<bare>[^\s"'`,;<>(){}\[\]「」“”«»，。；、\\]{1,400}+)(?P<code>[(\[])?"""
)
_ASCII = re.compile(r"""\s?[「『“"'`]?(?P<bare>[!#-&*-~]{3,200})""")


class _Label(NamedTuple):
    """A word for a secret in a text: its sort, whether quotes close behind it, and whether it is in capitals."""

    sort: Sort
    text: str
    quoted: bool
    loud: bool


@dataclass(frozen=True, slots=True)
class _Labels:
    stems: "re.Pattern[str]"
    """The beginning of each label."""
    label: "re.Pattern[str]"
    join: "re.Pattern[str]"
    """What joins a label to its value."""
    linked: "re.Pattern[str]"
    """The same behind what the secret is for, as in "password for the alarm is"."""
    particle: "re.Pattern[str]"
    sorts: dict[str, Sort]
    bounded: frozenset[str]
    never_after: "re.Pattern[str]"


def stems() -> frozenset[str]:
    """Return the beginnings of all labels, in lower case: a text without any of them has no label."""
    rows = data("labels.json")
    return frozenset(_BETWEEN.split(word)[0].split("'")[0] for sort in SORTS for word in rows[sort])


def labelled(text: str, lower: str) -> Iterator[Finding]:
    """Yield what stands behind a word for a secret, where it looks like one; ``lower`` is the text in lower case."""
    known, done, run_end, tried = _labels(), 0, 0, 0
    for stem in known.stems.finditer(lower):
        if stem.start() >= run_end:
            run_end, tried = _run_end(lower, stem.end()), 0
        tried += 1
        if stem.start() >= done and tried <= MOST_IN_A_RUN:
            found = _behind(text, lower, stem.start(), known)
            if found is not None:
                done = found.end
                yield found


def _run_end(lower: str, start: int) -> int:
    end = _BREAK.search(lower, start)
    return end.end() if end is not None else len(lower)


@cache
def _labels() -> _Labels:
    rows = data("labels.json")
    sorts: dict[str, Sort] = {_BETWEEN.sub("", word): sort for sort in SORTS for word in rows[sort]}
    words = pattern_of(" ".join(_BETWEEN.split(word)) for sort in SORTS for word in rows[sort])
    join = (
        r"(?P<tight>[:=](?![:=]))(?P<blank>\s{0,3})|\s{0,3}(?P<sign>:=|=>|=(?!=)|[:：＝])\s{0,3}"
        rf"|(?P<spoken>\s{{1,3}}(?:(?:{_any(rows['verbs'])})[:：]?\s{{1,3}}|[—–]\s{{1,3}}))"
    )
    return _Labels(
        stems=re.compile(pattern_of(stems())),
        label=re.compile(
            rf"(?P<label>{words.replace(chr(92) + ' ', '[ _-]?')})(?:s|n|[_-]?\d{{1,2}}|[_-]value)?(?P<quote>\\?[\"'])?"
        ),
        join=re.compile(rf"{join}|(?P<direct>\s{{1,2}})"),
        linked=re.compile(rf"\s(?:{_any(rows['links'])})\s(?:[^\s:=]{{1,20}}\s){{0,2}}[^\s:=]{{1,20}}(?:{join})"),
        particle=re.compile(rf"(?:\s?(?:{_any(rows['particles'])}|[:：=]))*"),
        sorts=sorts,
        bounded=frozenset([*rows["bounded"], *(one for one, sort in sorts.items() if sort == "digits")]),
        never_after=re.compile(rf"(?:{_any(rows['not_after'])})[\s_-]?$"),
    )


def _any(words: Iterable[str]) -> str:
    return pattern_of(words)


def _behind(text: str, lower: str, start: int, known: _Labels) -> Finding | None:
    """Return the secret behind a label that may begin here. What rules most labels out is looked at first."""
    found = known.label.match(lower, start)
    if found is None:
        return None
    sort, end = _sort(found["label"]), found.end()
    if sort == "unspaced":
        particle = known.particle.match(lower, end)
        join, value = None, _ASCII.match(text, particle.end() if particle else end)
    else:
        linked = known.linked.match(lower, end) if lower[end : end + 1].isspace() else None
        join = linked or known.join.match(lower, end)
        if join is None or (sort == "digits" and not _DIGIT.search(text, join.end(), join.end() + 3)):
            return None
        value = _VALUE.match(text, join.end())
    if value is None or _is_part_of_a_word(lower, start, found["label"], known):
        return None
    loud = text[start : found.end("label")].isupper()
    return _judged(value, _Label(sort, found["label"], found["quote"] is not None, loud), join)


@cache
def _sort(label: str) -> Sort:
    """Return the sort of a label as it is written: there are few ways to."""
    return _labels().sorts[_BETWEEN.sub("", label)]


def _is_part_of_a_word(lower: str, start: int, label: str, known: _Labels) -> bool:
    if label in known.bounded and lower[start - 1 : start].isalnum() and start:
        return True
    return known.never_after.search(lower[max(0, start - 14) : start]) is not None


def _judged(value: "re.Match[str]", label: _Label, join: "re.Match[str] | None") -> Finding | None:
    """Return the value as a finding, if it looks like a secret of the label's sort."""
    place = value.lastgroup if value.lastgroup != "code" else "bare"
    assert place is not None  # noqa: S101  each alternative has a name
    how = "" if join is None else join.lastgroup or ""
    spoken = how in ("spoken", "direct")
    secret = value[place] if place == "quoted" else _trimmed(value[place], spoken=spoken)
    if not secret or secret.startswith(REDACTED[:4]) or value.groupdict().get("code"):
        return None
    tight = how in ("tight", "blank") and join is not None and not join["blank"]
    if not _is_secret(
        secret, label, spoken=how == "spoken", direct=how == "direct", written=tight or place == "quoted"
    ):
        return None
    if is_placeholder(secret):
        return None
    start = value.start(place)
    in_json = label.quoted and place == "bare" and how != "sign" and secret.isdigit()
    kind = _BETWEEN.sub("_", label.text)
    return Finding(start, start + len(secret), kind, f'"{REDACTED}"' if in_json else REDACTED)


def _trimmed(value: str, *, spoken: bool) -> str:
    """Return a value without the punctuation of its sentence, and without what follows it in an address."""
    if not spoken and "&" in value:
        value = _PARAMETER.split(value, maxsplit=1)[0]
    return value.rstrip(".,:;?")


def _is_secret(value: str, label: _Label, *, spoken: bool, direct: bool, written: bool) -> bool:
    if label.sort == "digits":
        return not direct and _is_code(value, label.text)
    if label.sort == "weak":
        if written and label.loud and len(value) >= 2 * LEAST_TOKEN and " " not in value:
            return True  # a variable of the environment
        return is_random(value, 2 * LEAST_TOKEN if direct else LEAST_SPOKEN if spoken else LEAST_TOKEN)
    if direct:
        return len(value) >= LEAST_WORD and ":" not in value and is_chosen(value)
    if is_chosen(value) or (value.isdigit() and len(value) >= LEAST_NUMBER):
        return True
    return label.sort == "strong" and written and not spoken and _is_word(value)


def _is_word(value: str) -> bool:
    """Return whether a value in quotes, or right behind a sign, may be a word or words that somebody chose."""
    plain = value.replace(" ", "") if value.count(" ") != 1 else value
    return len(value) >= LEAST_WORD and plain.isalpha() and plain.islower()


def _is_code(value: str, label: str) -> bool:
    least = 3 if label.startswith(("cv", "security")) else LEAST_NUMBER
    digits = re.sub(r"[\s-]", "", value.rstrip("#*!"))
    return digits.isdigit() and least <= len(digits) <= LEAST_TOKEN
