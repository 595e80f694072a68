"""The English words, patterns and rules of the JSON files beside this one, read and compiled when first used.

In a pattern ``{PETS}`` stands for the group of that name in ``words.json``, ``{HUMANS}`` and ``{HUMANS_DUTCH}`` for a
language's words for kin, ``{HAN_NAME}`` for Chinese names, a list of texts for the pattern they make when put together,
and ``(?i)`` at its start for any case.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from capabilities.relations.words import FORMS, HAN_NAME, IMPLIED, TOO_LOOSE

_FOLDER = Path(__file__).parent
_GROUP = re.compile(r"\{([A-Z_]+)\}")


@cache
def listed(name: str) -> Mapping[str, Any]:
    """Return what stands in the JSON file called ``name``."""
    found: Mapping[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def written(pattern: str | list[str]) -> str:
    """Return ``pattern`` with its named groups filled in.

    >>> written(["I have an? ", "(?:{DAYS})"])[:21]
    'I have an? (?:monday|'
    """
    text = pattern if isinstance(pattern, str) else "".join(pattern)
    return _GROUP.sub(lambda found: _group(found[1]), text)


@cache
def _group(name: str) -> str:
    if name == "HAN_NAME":
        return HAN_NAME
    humans, _, language = name.partition("_")
    if humans == "HUMANS":
        return _humans(language.lower() or "english")
    return written(listed("english/words")[name])


def _humans(language: str) -> str:
    """Return a language's words for who somebody is to the speaker, longest first."""
    forms = FORMS[language]
    said = [form for form in forms if forms[form] not in IMPLIED and form[0] not in TOO_LOOSE]
    return "|".join("[- ]".join(form) for form in sorted(said, key=lambda form: -len(" ".join(form))))


class Patterns(dict[str, re.Pattern[str]]):
    """The patterns of one section of ``speech.json`` by name, each compiled when it is first asked for.

    >>> bool(Patterns("sentences")["bullet"].match("- milk"))
    True
    """

    def __init__(self, section: str) -> None:
        super().__init__()
        self._section = section

    def __missing__(self, name: str) -> re.Pattern[str]:
        self[name] = re.compile(written(listed("english/speech")[self._section][name]))
        return self[name]


@cache
def table(section: str, name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the list called ``name`` of a section of ``speech.json``: patterns, each with the text beside it."""
    return tuple((re.compile(written(pattern)), text) for pattern, text in listed("english/speech")[section][name])


@cache
def everyday() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the wordings of ``everyday.json``: patterns, each with the plain words for it."""
    rows = listed("english/everyday").values()
    return tuple((re.compile(written(pattern)), text) for listing in rows for pattern, text in listing)
