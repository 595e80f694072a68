"""Slips of models that observe a turn: answers whose facts are right and whose form is not, by name.

Each answers a turn in which Jake says `SAID`; ``kept`` are the facts, as (subject, words of the content), that a reader
with goodwill takes from it.
"""

import json
from dataclasses import dataclass

SAID = "I work at Stripe, I am allergic to peanuts, and my sister Anna lives in Lisbon."
JOB, NUTS, ANNA = ("user", "Stripe"), ("user", "peanuts"), ("anna", "Lisbon")
ALL = (JOB, NUTS, ANNA)
_WORK = {"content": "Works at Stripe", "importance": 0.8, "category": "profession", "durability": "persistent"}
_NUTS = {"content": "Is allergic to peanuts", "importance": 0.9, "category": "attribute", "durability": "permanent"}
_ANNA = {"subject": "anna", "content": "Lives in Lisbon", "importance": 0.6, "category": "identity"}


@dataclass(frozen=True)
class Slip:
    """One answer, and the facts that are in it."""

    answer: object
    kept: tuple[tuple[str, str], ...] = ALL

    @property
    def text(self) -> str:
        """The answer as a model writes it."""
        return self.answer if isinstance(self.answer, str) else json.dumps(self.answer)


def _each(**changed: object) -> dict[str, object]:
    return {"observations": [{**item, **changed} for item in (_WORK, _NUTS, _ANNA)]}


def _keys(spelling: dict[str, str], key: str = "observations") -> dict[str, object]:
    return {key: [{spelling.get(name, name): value for name, value in one.items()} for one in (_WORK, _NUTS, _ANNA)]}


def _without(*names: str) -> dict[str, object]:
    return {
        "observations": [
            {name: value for name, value in one.items() if name not in names} for one in (_WORK, _NUTS, _ANNA)
        ]
    }


_TITLES = {name: name.title() for name in ("subject", "content", "importance", "category", "durability")}
_TEXTS = ["Works at Stripe", "Is allergic to peanuts", "Anna lives in Lisbon"]
_MINE = (JOB, NUTS)
_NAMED = (JOB, NUTS, ("user", "Anna lives in Lisbon"))
"""A text alone says in its own words whom it is about."""
SLIPS: dict[str, Slip] = {
    "keys in title case": Slip(_keys(_TITLES)),
    "keys in capitals": Slip(_keys({name: name.upper() for name in _TITLES})),
    "keys with blanks": Slip(_keys({name: f" {name} " for name in _TITLES})),
    "list in title case": Slip(_keys(_TITLES, "Observations")),
    "importance high": Slip(_each(importance="high")),
    "importance very high": Slip(_each(importance="Very High")),
    "importance in other words": Slip(_each(importance="it is critical")),
    "importance of ten": Slip(_each(importance=8)),
    "importance of a hundred": Slip(_each(importance=85)),
    "importance in percent": Slip(_each(importance="85%")),
    "importance as a fraction": Slip(_each(importance="8/10")),
    "importance with a comma": Slip(_each(importance="0,8")),
    "importance above one": Slip(_each(importance=1.2)),
    "importance below zero": Slip(_each(importance=-1)),
    "importance missing": Slip(_without("importance")),
    "importance null": Slip(_each(importance=None)),
    "importance in a list": Slip(_each(importance=[0.8])),
    "only subject and content": Slip(_without("importance", "category", "durability")),
    "category in other words": Slip(_each(category="work")),
    "category unknown": Slip(_each(category="banana")),
    "category in a sentence": Slip(_each(category="profession or the like")),
    "category of two": Slip(_each(category="identity/preference")),
    "category null": Slip(_each(category=None)),
    "category a list": Slip(_each(category=["attribute"])),
    "durability long-term": Slip(_each(durability="long-term")),
    "durability a number": Slip(_each(durability=3)),
    "durability in days": Slip(_each(durability="365 days")),
    "replaces null": Slip(_each(replaces=None)),
    "replaces false": Slip(_each(replaces=False)),
    "replaces a list": Slip(_each(replaces=[])),
    "value a list": Slip(_each(value=["Stripe"])),
    "subject null for the user": Slip({"observations": [{**_WORK, "subject": None}, {**_NUTS, "subject": ""}]}, _MINE),
    "subject the user": Slip({"observations": [{**_WORK, "subject": "The User"}, {**_NUTS, "subject": "I"}]}, _MINE),
    "subject a list and an object": Slip(
        {
            "observations": [
                {**_WORK, "subject": ["user"]},
                {**_NUTS, "subject": {}},
                {**_ANNA, "subject": {"name": "Anna"}},
            ]
        }
    ),
    "subjects that are nobody": Slip(
        {"observations": [_WORK, *({**_ANNA, "subject": nobody} for nobody in (["anna", "bob"], 7, {"a": 1}, True))]},
        (JOB,),
    ),
    "objects and numbers where texts are": Slip(
        _each(replaces={"id": 7}, value={"a": 1}, of=7, former=[1], attribute=["a"], category={"a": 1}, durability=[[]])
    ),
    "control characters": Slip(
        {"observations": [{**_WORK, "content": "Works\x00 at Str\x07ipe"}, _NUTS, {**_ANNA, "subject": "an\x00n\x1ba"}]}
    ),
    "bare list of texts": Slip(_TEXTS, _NAMED),
    "list of texts": Slip({"observations": _TEXTS}, _NAMED),
    "facts with a fact": Slip({"facts": [{"fact": text} for text in _TEXTS]}, _NAMED),
    "memories with a memory": Slip({"memories": [{"memory": text, "type": "fact"} for text in _TEXTS]}, _NAMED),
    "texts by number": Slip({"1": _TEXTS[0], "2": _TEXTS[1], "3": _TEXTS[2]}, _NAMED),
    "observation in an observation": Slip({"observations": [{"observation": one} for one in (_WORK, _NUTS, _ANNA)]}),
    "content under text": Slip(_keys({"content": "text"})),
    "content under statement beside an id": Slip(
        {"observations": [{"id": "o1", "statement": text, "kind": "fact"} for text in _TEXTS]}, _NAMED
    ),
    "content as a list": Slip({"observations": [{**_WORK, "content": ["Works at Stripe"]}]}, (JOB,)),
    "one object without a list": Slip(_WORK, (JOB,)),
    "list within a list": Slip({"observations": [[_WORK, _NUTS, _ANNA]]}),
    "data and result around": Slip({"status": "ok", "data": {"result": _each()}}),
    "junk beside the facts": Slip(
        {"observations": [{**_WORK}, {**_NUTS, "content": "The user's message says,"}, _ANNA]}, (JOB, ANNA)
    ),
    "the prompt's example beside the facts": Slip(
        {"observations": [_WORK, {**_NUTS, "content": "Prefers green tea"}, _ANNA]}, (JOB, ANNA)
    ),
    "one item cannot be used": Slip({"observations": [_WORK, 7, {"importance": 1}, _ANNA]}, (JOB, ANNA)),
    "escapes of the prompt": Slip({"observations": [{**_WORK, "content": "Works at Stripe &amp; lives well"}]}, (JOB,)),
    "json5 with slips": Slip("{observations: [{Content: 'Works at Stripe', Importance: 'high',},]}", (JOB,)),
}
