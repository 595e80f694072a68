"""The words of ``words.json``: who is who to somebody, in many languages, and the small words that say to whom."""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict

from fabric.text.language import stem

_DATA: Mapping[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
UNSPACED = frozenset({"chinese", "japanese"})
_SHORTEST_FOREIGN = 5
"""A word of another language than a question's tells of kin from so many letters on: "kind" and "far" do not."""


@cache
def listed(name: str) -> frozenset[str]:
    """Return a word list of the data file."""
    return frozenset(_DATA["lists"][name].split())


IMPLIED = listed("implied")
"""What tells of somebody without naming a person: of a spouse, of a boss."""
ARTICLES = listed("articles")
TOO_LOOSE = listed("too_loose")
"""Words of kin that too often mean something else."""
NOT_NAMES = listed("not_names")
"""Capitalised words that are no names."""
WORD_NAMES = listed("word_names")
"""Words that are names too."""
HAN_NAME = (
    f"(?!{'|'.join(sorted(listed('no_surnames')))})"
    f"(?:{'|'.join(sorted(listed('foreign_in_han'), key=len, reverse=True))}"
    f"|(?:{'|'.join(sorted(listed('surnames')))})[\u4e00-\u9fff]{{1,2}}?|[小阿老][\u4e00-\u9fff])"
)
"""A pattern of Chinese names: a surname with one sign or two behind it, a pet name, or a foreign name."""
QUALITIES: Mapping[str, str] = (
    dict.fromkeys(listed("older"), "older")
    | dict.fromkeys(listed("younger"), "younger")
    | {word: word for word in listed("told_apart")}
)
"""What tells two of the same kin apart."""


_Words = Annotated[frozenset[str], BeforeValidator(str.split)]


class Grammar(BaseModel):
    """The small words of a language that say whose somebody is ("my", "his", "of"), and which names they bear.

    ``prepositions`` stand before names, ``i`` who speaks, ``called`` verbs before a name, ``third`` "he" and "she".
    ``is_suffixed``: the word itself says whose it is ("siskoni"); ``is_behind``: "my" may stand behind ("sora mea");
    ``genitive`` is "my" behind somebody who is my brother's ("die Frau meines Bruders").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    mine: _Words
    others: _Words
    of: _Words = frozenset()
    prepositions: _Words = frozenset()
    i: _Words = frozenset()
    called: _Words = frozenset()
    third: _Words = frozenset()
    is_suffixed: bool = False
    is_behind: bool = False
    genitive: _Words = frozenset()


GRAMMAR: Mapping[str, Grammar] = {
    language: Grammar.model_validate(both["grammar"]) for language, both in _DATA["languages"].items()
}
FORMS: Mapping[str, Mapping[tuple[str, ...], str]] = {
    language: {tuple(word.split("_")): kin for kin, said in list(both["people"].items())[::-1] for word in said.split()}
    for language, both in _DATA["languages"].items()
}
"""By language: whom each word, or several in a row, means, by its name in English."""
EVERYBODY: Mapping[tuple[str, ...], str] = {
    said: kin for language in (*FORMS, "english") for said, kin in FORMS[language].items()
}
"""The forms of all languages; of a word that several have, English tells whom it means."""
_SPECIFIC = {general: frozenset(special.split()) for general, special in _DATA["specific"].items()}
_KIN = frozenset(FORMS["english"].values()) - IMPLIED - listed("acquaintances")


def means(asked: str, kin: str) -> bool:
    """Return whether what is said of ``kin`` may be said of the one asked about, both by their names in English.

    >>> means("brother", "sibling"), means("parent", "mother"), means("brother", "sister"), means("brother", "family")
    (True, True, False, False)
    """
    if asked == kin:
        return True
    if asked == "family":
        return kin in _KIN
    return kin not in listed("loose") and (kin in _SPECIFIC.get(asked, ()) or asked in _SPECIFIC.get(kin, ()))


def kin_of(words: str) -> tuple[str, frozenset[str]]:
    """Return whom words such as "older sister" or "schwester" mean, "" for nobody, and what tells them apart.

    >>> kin_of("older sister"), kin_of("hermana"), kin_of("dog")
    (('sister', frozenset({'older'})), ('sister', frozenset()), ('', frozenset()))
    """
    split = words.replace("-", " ").split()
    qualities = frozenset(QUALITIES[word] for word in split[:-1] if word in QUALITIES)
    for begin in range(len(split)):
        kin = EVERYBODY.get(tuple(split[begin:]))
        if kin is not None:
            return kin, qualities
    return "", qualities


def gender(kin: str) -> str:
    """Return "male" or "female" for kin who are that, "" for others."""
    return next((name for name in ("male", "female") if kin in listed(name)), "")


@lru_cache(maxsize=512)
def kin_terms(kin: str, language: str) -> frozenset[str]:
    """Return the terms under which rows may hold a word for somebody, in any language."""
    found: set[str] = set()
    for spoken, forms in FORMS.items():
        for form, meant in forms.items():
            word = max(form, key=len)
            near = spoken in (language, "english") or len(word) >= _SHORTEST_FOREIGN or not word.isascii()
            if near and means(kin, meant):
                found.update((word, stem(word, spoken), stem(word, "english")))
    return frozenset(found)
