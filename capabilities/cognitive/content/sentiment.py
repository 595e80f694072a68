"""How a text feels, from -1 to 1, by the lexicon and the rules of VADER.

Source: Hutto & Gilbert, "VADER: A parsimonious rule-based model for sentiment analysis of social media text" (2014).
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import regex

from fabric.lazy import lazy
from fabric.text.language import language_of

if TYPE_CHECKING:
    import vader
    from vader.data import emoji as pictures
else:
    vader = lazy("vader")
    pictures = lazy("vader.data.emoji")

LONGEST = 4_000
"""How many characters of a text are read."""
_SENTENCE_END = regex.compile(r"(?<=[.!?\u2026])\s+|[\r\n]+")
_SKIN = regex.compile("[\U0001f3fb-\U0001f3ff]")
"""The tone of an emoji's skin, which says nothing of how it feels."""
_PICTURE = regex.compile(r"[\p{Extended_Pictographic}\u2600-\u27bf]\ufe0f?")


def sentiment(text: str) -> float:
    """Return how a text feels, in [-1, 1]: the mean of its sentences that feel anything, 0 for one that does not.

    Words are read in English; of a text in another language only the emoji are.

    >>> sentiment("I love this!") > 0.5, sentiment("I don't love it") < -0.4, sentiment("Works at Stripe")
    (True, True, 0.0)
    >>> sentiment("die Kinder spielen"), sentiment("die Kinder spielen 😀") > 0
    (0.0, True)
    """
    read = _SKIN.sub("", text[:LONGEST])
    read = _plainly(read) if language_of(read) == "english" else " ".join(_PICTURE.findall(read))
    felt = [score for sentence in _SENTENCE_END.split(read) if (score := _compound(sentence))]
    return max(-1.0, min(1.0, fmean(felt))) if felt else 0.0


def _compound(sentence: str) -> float:
    return float(_analyzer().polarity_scores(sentence)["compound"]) if sentence.strip() else 0.0


def _plainly(text: str) -> str:
    """Return a text with plain words for what is not meant as it is said: who passed away died, and no process dies.

    >>> _plainly("My aunt passed  away")
    'My aunt died'
    """
    pattern, meant = _idioms()
    return pattern.sub(lambda found: meant[" ".join(found[0].lower().split())], text)


@cache
def _idioms() -> "tuple[regex.Pattern[str], Mapping[str, str]]":
    meant = {phrase: plain for plain, phrases in _data()["meant"].items() for phrase in phrases}
    rows = "|".join(r"\s+".join(map(regex.escape, phrase.split())) for phrase in sorted(meant, key=len, reverse=True))
    return regex.compile(rf"(?<!\w)(?:{rows})(?!\w)", regex.IGNORECASE), meant


@cache
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(Path(__file__).with_name("sentiment.json").read_text(encoding="utf-8"))
    return data


@cache
def _analyzer() -> "vader.SentimentIntensityAnalyzer":
    """Return the analyzer, with plainer words for the emoji whose names say nothing of how they feel."""
    return vader.SentimentIntensityAnalyzer(emoji={**pictures.EMOJI, **_data()["emoji"]})
