"""Labels: what stands behind a word for a secret, as in ``DB_PASS=x``, ``"apiKey": "x"`` or "my password was x"."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

from .finding import REDACTED, Finding
from .signs import data, pattern_of
from .value import is_chosen, is_placeholder, is_random

Sort = Literal["unspaced", "digits", "strong", "weak"]
SORTS: tuple[Sort, ...] = ("weak", "strong", "digits", "unspaced")
LEAST_SPOKEN, LEAST_TOKEN, LEAST_WORD, LEAST_NUMBER = 12, 8, 6, 4
_BETWEEN = re.compile(r"[\s_-]")
_DIGIT, _LETTER = re.compile(r"\d"), re.compile(r"[^\W\d_]")
_ASSIGNED = re.compile(r"[\w.-]+=[^=]")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
SHORT = 3
LEAST_BLANKS = 2
"""How many blanks a phrase in quotes has at least that somebody says is the password."""
_BREAK = re.compile(r"""[\s"'`,;&<>(){}\[\]。，；：、！？]""")
_ENOUGH: Mapping[Sort, "re.Pattern[str]"] = {
    "weak": re.compile(rf"\S{{{LEAST_TOKEN}}}"),
    "strong": re.compile(r"\S"),
    "digits": re.compile(rf"[\s\S]{{0,2}}\d|(?:{pattern_of(data('labels.json')['digit_words'])})[ -]"),
}
"""What a value of each sort begins with at least: most of what stands behind a label does not."""
_POSTAL = re.compile(r"[1-9]\d{5}")
_TICKET = re.compile(r"[A-Z]{2,6}-\d{1,6}")
"""The number of a ticket or a class, as in "CLS-0001"."""
_FURTHER = re.compile(r"(?:,|;|/|\||\s|and |und |y |et ){1,4}(?P<code>[\w-]{4,40})")
_SHAPES = str.maketrans("0123456789abcdefghijklmnopqrstuvwxyz", "0" * 10 + "a" * 26)
MOST_IN_A_RUN = 32
"""How many labels are looked behind in a run of characters without a break: the values of all of them are one."""
_PARAMETER = re.compile(r"&[\w.-]+=")
_VALUE = re.compile(
    r"""(?:@|[rRbBuUfFL]{1,2}(?=["'])|(?:Secret)?[Ss]tr(?:ing)?\((?=["'])|["']{2}(?=["']))?"""
    r"""(?P<open>\\?["'`]|[«“‘「„])(?P<quoted>[^"'`»”’」\n\\]{1,200}+)(?:\\?["'`]|[»”’」])"""
    r"""|(?P<dress>\*{1,3}|_{2})?(?P<bare>[^\s"'`,;<>(){}\[\]「」“”«»，。；、\\]{1,400}+)(?P<code>[(\[])?"""
)
_DIGITS = rf"(?:\d|{pattern_of(data('labels.json')['digit_words'])})"
_SPELLED = re.compile(rf"{_DIGITS}(?:[ -]|, ){_DIGITS}(?:(?:[ -]|, ){_DIGITS}){{2,6}}(?![\w-]| {_DIGITS})")
"""A number told digit by digit, in figures or in words: "4 7 1 1", "four seven one one"."""
_DRESS = r"(?:[*_~`]{1,3}|</\w{1,8}>)"
"""What sets a word off: the end of an emphasis of Markdown or HTML."""
_CLOSED = rf"(?:{_DRESS}(?!\s{{0,20}}<)|[”»])"
_LAYOUT = r"(?:(?:[|>][+-]?|[|>]?-|!!\w{1,10}|value:)\s{1,12}|<\w{1,8}>)"
"""What stands before a value in YAML (a block, an item, a type, a value by its name) or HTML."""
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
    linked_on: "re.Pattern[str]"
    """The same where a word of what it is for could be a verb."""
    far: "re.Pattern[str]"
    """More words and a colon, as in "the api key you asked for: ", or a comma, as in "my password, x, is old"."""
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
    labels, done, run_end, tried = _labels(), 0, 0, 0
    for stem in labels.stems.finditer(lower):
        if stem.start() >= run_end:
            run_end, tried = _run_end(lower, stem.end()), 0
        tried += 1
        if stem.start() >= done and tried <= MOST_IN_A_RUN:
            found = _behind(text, lower, stem.start(), labels)
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
    ending = rf"(?:s|n|et|en|[_-]?\d{{1,2}}|[_-](?:value|base))?(?P<quote>\\?[\"'](?!s\s))?{_CLOSED}?"
    quoted = r"(?=\\?[\"'`])"
    adverb = f"(?:{any_of(rows['adverbs'])})"
    join = (
        rf"(?P<typed>\s?:\s?[&'\w.<>\[\]?]{{1,30}}\s?=\s{{0,2}}{quoted})"
        rf"|(?P<call>\s?[(,]\s{{0,2}}{quoted})"
        r"|(?P<paired></\w{1,20}>\s{0,20}<\w{1,20}>|\s?>(?=[^<>\s]{4,400}</)"
        r"|,?\s{1,20}\\?[\"']?val(?:ue)?\\?[\"']?\s{0,2}[:=]\s{0,2})"
        rf"|(?P<block>\s\{{[^{{}}]{{0,300}}?\bdefault\s{{0,20}}=\s{{0,3}}{quoted})"
        rf"|(?P<tight>[:=](?![:=])){_DRESS}?(?P<blank>\s{{0,3}})(?:{_LAYOUT})?"
        r"|\s{0,3}\]?\s{0,3}(?P<sign>:=|={1,3}\s?>|->|=(?!=)|\.{3,40}|[:：＝→⇒➜➔»👉•…|])"
        rf"{_DRESS}?\s{{0,3}}…?"
        rf"|(?P<spoken>['’]s\s|\s{{1,3}}(?:{adverb}\s)?(?:(?:{any_of(rows['verbs'])})(?:\s{adverb})?[:：]?\s{{1,3}}|[—–-]\s{{1,3}}))"
    )
    link, word = rf"\s(?:{any_of(rows['links'])})\s", r"[^\s:=]{0,19}[^\s:=.!?]"
    return _Labels(
        stems=re.compile(pattern_of(stems())),
        label=re.compile(rf"(?P<label>{words_of_labels()}){ending}"),
        join=re.compile(rf"{join}|(?P<direct>\s{{1,2}}(?=[\"'`]|\S{{{LEAST_WORD}}}|\d{{{LEAST_NUMBER}}}|\d{{3}}\b))"),
        linked=re.compile(rf"{link}(?:{word}[ \t]){{0,5}}?{word}(?:{join})"),
        linked_on=re.compile(rf"{link}(?:{word}[ \t]){{1,5}}{word}(?:{join})"),
        far=re.compile(r",\s(?=[^\s,]{6,100},)|(?:\s[^\s:=.,;!?\"']{1,20}){1,5}[:：]\s{1,2}"),
        particle=re.compile(rf"(?:\s?(?:{any_of(rows['particles'])}|[:：=]))*"),
        sorts=sorts,
        bounded=frozenset([*rows["bounded"], *(label for label, sort in sorts.items() if sort == "digits")]),
        never_after=re.compile(_never_after(rows["not_after"])),
    )


def _never_after(words: Iterable[str]) -> str:
    """Return the pattern of words in front of a label that make it none; a short one is no end of another word."""
    long, short = ([word for word in words if (len(word) > SHORT) is is_long] for is_long in (True, False))
    return rf"(?:{any_of(long)}|(?<![^\W\d_]){any_of(short)})[\s_-]?$"


def any_of(words: Iterable[str]) -> str:
    """Return the pattern of any of these words."""
    return pattern_of(words)


@cache
def words_of_labels() -> str:
    """Return the pattern of all words for a secret, in lower case."""
    words = {" ".join(_BETWEEN.split(word)) for sort in SORTS for word in data("labels.json")[sort]}
    return pattern_of(words).replace(chr(92) + " ", "[ _-]?")


def _behind(text: str, lower: str, start: int, labels: _Labels) -> Finding | None:
    """Return the secret behind a label that may begin here. What rules most labels out is looked at first."""
    found = labels.label.match(lower, start)
    if found is None:
        return None
    sort, end = sort_of(found["label"]), found.end()
    for join, begin in _joins(lower, end, sort, labels):
        spelled = _SPELLED.match(lower, begin) if sort == "digits" else None
        if spelled is not None and not _is_part_of_a_word(lower, start, found["label"], labels):
            return Finding(begin, spelled.end(), _BETWEEN.sub("_", found["label"]))
        value = (_ASCII if join is None else _VALUE).match(text, begin)
        if value is None or _is_part_of_a_word(lower, start, found["label"], labels):
            continue
        loud = text[start : found.end("label")].isupper()
        secret = _judged(value, _Label(sort, found["label"], found["quote"] is not None, loud), join)
        if secret is not None:
            return _with_others(lower, secret, found["label"])
    return None


def _with_others(lower: str, secret: Finding, label: str) -> Finding:
    """Return a code with the others of its list, which look as it does: "backup codes: 1234-5678, 8765-4321"."""
    if not _is_listed(label):
        return secret
    shape, end = lower[secret.start : secret.end].translate(_SHAPES), secret.end
    while (further := _FURTHER.match(lower, end)) is not None and further["code"].translate(_SHAPES) == shape:
        end = further.end()
    return replace(secret, end=end)


def _is_listed(label: str) -> bool:
    """Return whether a label names codes that come in lists."""
    return _BETWEEN.sub(" ", label) in data("labels.json")["listed"]


def _joins(lower: str, end: int, sort: Sort, known: _Labels) -> "Iterator[tuple[re.Match[str] | None, int]]":
    """Yield what may join a label that ends there to its value, and where that begins."""
    if sort == "unspaced":
        particle = known.particle.match(lower, end)
        yield None, particle.end() if particle else end
        return
    goes_on = lower[end : end + 1] == "," or lower[end : end + 1].isspace()
    forms = (known.linked, known.join, known.linked_on, known.far) if goes_on else (known.join,)
    for join in (form.match(lower, end) for form in forms):
        if join is not None and _ENOUGH[sort].match(lower, join.end()):
            yield join, join.end()


@cache
def sort_of(label: str) -> Sort:
    """Return the sort of a label as it is written: there are few ways to."""
    return _labels().sorts[_BETWEEN.sub("", label)]


def _is_part_of_a_word(lower: str, start: int, label: str, labels: _Labels) -> bool:
    if label in labels.bounded and lower[start - 1 : start].isalnum() and start:
        return True
    return labels.never_after.search(lower[max(0, start - 14) : start]) is not None


def _judged(value: "re.Match[str]", label: _Label, join: "re.Match[str] | None") -> Finding | None:
    """Return the value as a finding, if it looks like a secret of the label's sort."""
    place = value.lastgroup if value.lastgroup != "code" else "bare"
    assert place is not None  # noqa: S101  each alternative has a name
    how = "" if join is None else join.lastgroup or ""
    is_far = join is not None and join.re is _labels().far
    spoken = how in ("spoken", "direct") or is_far
    secret = value[place] if place == "quoted" else _trimmed(value[place], spoken=spoken)
    if place == "bare" and value.groupdict().get("dress"):
        secret = secret.rstrip("*_")
    if not secret or secret.startswith(REDACTED[:4]) or value.groupdict().get("code"):
        return None
    if (is_far and not (_LETTER.search(secret) and _DIGIT.search(secret))) or (
        how == "direct" and _ASSIGNED.match(secret)
    ):
        return None
    if label.text.startswith("session") and _UUID.fullmatch(secret):
        return None
    tight = how in ("tight", "blank") and join is not None and not join["blank"]
    written = (tight or place == "quoted") and how not in ("call", "paired")
    if not _is_secret(secret, label, spoken=how == "spoken" or is_far, direct=how == "direct", written=written):
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
        return (label.loud or not direct or label.text.startswith("cv")) and is_code(value, label.text)
    if label.sort == "weak":
        is_variable = written and label.loud and len(value) >= 2 * LEAST_TOKEN and " " not in value
        least = 2 * LEAST_TOKEN if direct else LEAST_SPOKEN if spoken else LEAST_TOKEN
        return is_variable or (_TICKET.fullmatch(value) is None and is_random(value, least))
    if direct:
        return len(value) >= LEAST_WORD and ":" not in value and is_chosen(value)
    if is_chosen(value) or (value.isdigit() and len(value) >= LEAST_NUMBER):
        return True
    if _is_listed(label.text) and is_code(value, label.text, 2 * LEAST_TOKEN):
        return True
    return label.sort == "strong" and written and (not spoken or value.count(" ") >= LEAST_BLANKS) and _is_word(value)


def _is_word(value: str) -> bool:
    """Return whether a value in quotes, or right behind a sign, may be a word or words that somebody chose."""
    plain = value.replace(" ", "") if value.count(" ") != 1 else value
    return len(value) >= LEAST_WORD and plain.isalpha() and plain.islower()


def is_code(value: str, label: str, most: int = LEAST_TOKEN) -> bool:
    """Return whether a value is a number of the length that a code of this label has, and no postal code."""
    if label in data("labels.json")["postal"] and _POSTAL.fullmatch(value):
        return False
    least = 3 if label.startswith(("cv", "security")) else LEAST_NUMBER
    digits = re.sub(r"[\s-]", "", value.rstrip("#*!"))
    return digits.isdigit() and least <= len(digits) <= most
