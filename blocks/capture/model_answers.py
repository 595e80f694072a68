"""What a model answered, as far as it can be used: plain texts, facts that the turn bears out, refusals in words."""

from collections.abc import Sequence
from typing import TypeVar

import regex
from pydantic import BaseModel

from capabilities.claims import Known
from capabilities.claims.attributes import words_of
from capabilities.sources import Outcome
from capabilities.turns import Exchange
from capabilities.vocabulary import Observation
from fabric.flow.context import Context
from fabric.models.answers.schema import Answer, Refused
from fabric.narrowing import is_list
from fabric.text.language import LATIN_LANGUAGES, known_languages
from fabric.text.prompt import unescaped
from fabric.text.words import content_words, word_set, words
from fabric.validation import shown

T = TypeVar("T", bound=BaseModel)
SHARED_LETTERS = 4
"""Letters at the beginning of two words that make them forms of one: "allergic", "allergy"."""
_TALK = word_set("user users message messag say said state statement mention assist assistant speaker convers turn")
"""Words about the conversation itself, as they are compared: a sentence of them alone says nothing."""
_LATIN = regex.compile(r"\p{Latin}")
_LETTERS = regex.compile(r"[\p{L}\p{M}]+")
_OTHERS = frozenset({"in another script"})
"""What stands for the languages of scripts of which none is known: "서울에서 일한다"."""
SEVERAL = 2
"""From so many words on, a text in Latin letters is surely in no language of other scripts."""


def plain_text(answer: T) -> T:
    """Return what a model answered without the escapes that it copied from the prompt, in any text of it."""
    changed: dict[str, object] = {}
    for name in type(answer).model_fields:
        value = getattr(answer, name)
        if isinstance(value, str) and "&" in value:
            changed[name] = unescaped(value)
        elif is_list(value) and any(isinstance(each, BaseModel) for each in value):
            changed[name] = [plain_text(each) if isinstance(each, BaseModel) else each for each in value]
    return answer.model_copy(update=changed) if changed else answer


def told(refused: Refused) -> str:
    """Return a refusal in words: which item of an answer it was, and why it could not be used."""
    if refused.item is None and not refused.field:
        return refused.reason
    return f"{refused.field}[{refused.index}] {shown(refused.item)}: {refused.reason}"


def refusals(answer: Answer) -> list[str]:
    """Return what of an answer could not be used, and why, in words."""
    return [told(refusal) for refusal in answer.refused]


def skipped(refused: Sequence[str], ctx: Context) -> list[Outcome]:
    """Return the outcomes of what an answer about facts held and could not be used."""
    return [Outcome(status="skipped", tier="semantic", reason=f"refused: {ctx.redact(reason)}") for reason in refused]


def is_grounded(observation: Observation, exchange: Exchange, known_facts: Sequence[Known]) -> bool:
    """Return whether an observation shares a content word with its turn, or with the entry that it replaces.

    Where the two are in different scripts or languages, words cannot tell: it counts as borne out, unless it speaks of
    nothing but the conversation.
    """
    own = content_words(f"{observation.content} {observation.value}") - _TALK
    if not own:
        return False
    answer = exchange.assistant.text if exchange.assistant else ""
    replaced = [fact.content for fact in known_facts if fact.id == observation.replaces]
    said = "\n".join([exchange.text, answer, *exchange.background, *replaced])
    heard = content_words(said)
    if not own.isdisjoint(heard) or _alike(own, heard):
        return True
    return _differ(observation.content, said)


def _alike(own: frozenset[str], heard: frozenset[str]) -> bool:
    beginnings = {word[:SHARED_LETTERS] for word in heard if len(word) >= SHARED_LETTERS}
    return any(word[:SHARED_LETTERS] in beginnings for word in own if len(word) >= SHARED_LETTERS)


def _differ(content: str, text: str) -> bool:
    """Return whether two texts are surely in different languages: in those of both, or in the scripts of both.

    >>> _differ("Has a cat", "Ich habe eine Katze"), _differ("json", "Ich habe eine Katze"), _differ("서울", "I like")
    (True, False, True)
    """
    told, heard = _languages(content), _languages(text)
    return bool(told and heard) and told.isdisjoint(heard)


def _languages(text: str) -> frozenset[str]:
    """Return the languages that a text may be in; one Latin word of no known language may stand in any."""
    found = known_languages(words(text), english=words_of("verbs"))
    if found:
        return found
    written = _LETTERS.findall(text)
    if written and _LATIN.search(text) is None:
        return _OTHERS
    return LATIN_LANGUAGES if len(written) >= SEVERAL else found
