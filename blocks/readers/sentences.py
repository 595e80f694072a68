"""What in a message is the speaker's own plain statement: quoted, pasted and asked-for text is set aside here."""

import re
from collections.abc import Iterator
from functools import cache

from fabric.text.words import uncontrolled

from .patterns import Patterns, listed

SCAN_CHARS = 16_000
"""A longer message is read at its head and its tail, this many characters each."""

MAX_CLAUSE = 320
"""A clause longer than this is not a plain statement."""

HIDDEN = "\ufffc"
"""Stands where quoted text or an address was cut out; no statement is read across it."""

_FORM = Patterns("sentences")
_WORD = re.compile(rf"[^\W_]|{re.escape(HIDDEN)}")


def own_sentences(text: str) -> Iterator[str]:
    r"""Yield the sentences the speaker says in their own voice, each with its end mark, quotations cut out.

    Signs alone, such as a run of emoji, are no sentences. What is cut out one behind the other stands as one.

    >>> list(own_sentences("I live in Rome.\n> I live in Oslo")) == ["I live in Rome.", HIDDEN]
    True
    """
    if len(text) > 2 * SCAN_CHARS:
        text = f"{text[:SCAN_CHARS]}\n{HIDDEN}\n{text[-SCAN_CHARS:]}"
    text = uncontrolled(text).replace("’", "'").replace("\u02bc", "'").replace("\r", "\n")
    text = _FORM["run"].sub(lambda run: run[0][:8], text)
    if "<" in text or "`" in text or "~" in text:
        text = _FORM["tagged"].sub(HIDDEN, _FORM["fence"].sub(f"\n{HIDDEN}\n", text))
    text = _FORM["address"].sub(HIDDEN, _FORM["code"].sub(HIDDEN, text))
    if _FORM["pretend"].match(text):
        return
    material = _FORM["material"].search(text)
    if material:
        text = text[: material.start()]
    said = _split(_FORM["quoted"].sub(_hide_speech, "\n".join(_own_lines(text))))
    before = ""
    for sentence in said:
        if _WORD.search(sentence) and not before == sentence == HIDDEN:
            before = sentence
            yield sentence


def machine_lines(text: str) -> Iterator[str]:
    r"""Yield the lines that a program says of itself, each up to the next empty line: an answer that was pasted.

    >>> list(machine_lines("I live in Rome.\n\nAs an AI, I live in the cloud.\nI like tea."))
    ['As an AI, I live in the cloud.', 'I like tea.']
    >>> list(machine_lines("As an AI engineer, I live in Berlin."))
    []
    """
    is_machine = False
    if not any(word in text for word in _machine_words()):
        return
    for line in text.replace("’", "'").split("\n"):
        is_machine = bool(line.strip()) and (is_machine or _FORM["machine"].search(line) is not None)
        if is_machine:
            yield line


def machine_sentences(text: str) -> Iterator[str]:
    """Yield the sentences that a program says of itself in a text.

    >>> list(machine_sentences("I am an AI. I live in the cloud."))
    ['I am an AI.', 'I live in the cloud.']
    """
    return (sentence for line in machine_lines(text) for sentence in _split(line))


@cache
def _machine_words() -> tuple[str, ...]:
    """Return parts of words of which what a program says of itself holds one: to look for them takes no time."""
    return tuple(listed("english/speech")["sentences"]["machine_words"].split("|"))


def _own_lines(text: str) -> Iterator[str]:
    machine = set(machine_lines(text))
    for line in text.split("\n"):
        pasted = (
            _FORM["indented"].match(line)
            or _FORM["table"].match(line)
            or (_FORM["pasted_line"].match(line) and not _FORM["kept_label"].match(line))
        )
        yield HIDDEN if pasted or line in machine or len(line) > 20_000 else _FORM["bullet"].sub("", line, count=1)


def _hide_speech(quoted: re.Match[str]) -> str:
    """Keep a short title, without its quotation marks; hide anything that speaks."""
    inside = quoted[1] or quoted[2]
    if len(inside.split()) > 5 or _FORM["speech"].search(inside):
        return HIDDEN
    return inside


def _split(text: str) -> Iterator[str]:
    start = 0
    for end in _FORM["end"].finditer(text):
        piece = text[start : end.end()]
        if end[0] == "." and _FORM["abbreviation"].search(piece[-8:]) and end.end() < len(text):
            continue
        start = end.end()
        if piece.strip() and len(piece) <= 4 * MAX_CLAUSE:
            yield piece.strip()
    if text[start:].strip() and len(text) - start <= 4 * MAX_CLAUSE:
        yield text[start:].strip()
