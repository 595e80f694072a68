"""What both servers take for a model: facts are sentences, and vectors are the words of a text."""

import hashlib
import json
import math
import re
from collections.abc import Collection, Iterator
from typing import Any

from snowballstemmer import stemmer

from tests.stub_server import Received, StubReply, text, tools

DIMENSIONS = 384
NOTHING_KNOWN = "Nothing is known about that."
ASSISTANT = "The assistant "
"""How a sentence begins that tells what the bank's own agent did."""

SECTION = "Known"
"""The heading under which the page of a mental model lists its facts."""

_SUPPORTING = re.compile(r"^- \[(?:world|experience|observation):[^\]]*\] (.+)$", re.MULTILINE)
"""A fact that is new to a mental model, as the server lists it."""
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_MARKER = re.compile(r"\[[^\[\]]*\]")
_WORD = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]|[^\W\u3041-\u30ff\u3400-\u9fff]+")
"""A run of letters and digits, and each sign by itself where words are written without spaces."""


def words(content: str) -> list[str]:
    """Return the words of a text in small letters, in order."""
    return _WORD.findall(content.lower())


_STEMMER = stemmer("english")
_COMMON = frozenset(
    words(
        """
        a about above after again against all am an and any are as at be because been before being below
        between both but by can did do does doing don down during each few for from further had has have
        having he her here hers herself him himself his how i if in into is it its itself just me more most
        my myself no nor not now of off on once only or other our ours ourselves out over own s same she
        should so some such t than that the their theirs them themselves then there these they this those
        through to too under until up very was we were what when where which while who whom why will with
        you your yours yourself yourselves
        """
    )
)
"""What PostgreSQL leaves out of an English text that it indexes."""


def stems(content: str) -> list[str]:
    """Return the stems of a text's words, but for the common ones: what both servers find a text by."""
    found: list[str] = _STEMMER.stemWords([word for word in words(content) if word not in _COMMON])
    return found


def facts_of(content: str) -> list[str]:
    """Return the sentences and lines of a text that have a word; a line of nothing but [markers] has none."""
    parts = (part.strip() for part in _END.split(content))
    return [part for part in parts if words(_MARKER.sub("", part))]


def fact_type(fact: str) -> str:
    """Return ``experience`` for what the bank's agent did, and ``world`` for all else."""
    return "experience" if fact.startswith(ASSISTANT) else "world"


def word_vector(content: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Return a unit vector in which each stem has a place of its own: texts without a common stem are orthogonal."""
    numbers = [0.0] * dimensions
    for stem in stems(content) or [content]:
        digest = hashlib.sha256(stem.encode("utf-8", "surrogatepass")).digest()
        numbers[int.from_bytes(digest[:4], "big") % dimensions] += 1.0
    length = math.hypot(*numbers)
    return [number / length for number in numbers]


def synthesis(facts: list[str]) -> str:
    """Return the answer of a reflection on these facts."""
    return "\n".join(f"- {fact}" for fact in facts) or NOTHING_KNOWN


def answer(received: Received) -> StubReply:
    """Answer what the server asks of its model: to extract facts, to reflect with tools, or to consolidate."""
    messages = received.body["messages"]
    if received.body.get("tools"):
        return _reflect(received.body)
    asked = str(messages[-1]["content"])
    if "Extract facts from the following chunk" in asked:
        content = asked.partition("\nContent:\n")[2]
        return text(json.dumps({"facts": [_extracted(fact) for fact in facts_of(content)]}))
    if learnt := _SUPPORTING.findall(asked):
        added = {"op": "append_block", "section_id": SECTION.lower(), "text": synthesis(learnt)}
        return text(json.dumps({"operations": [added]}))
    return text(json.dumps({"creates": [], "updates": [], "deletes": []}))


def _extracted(fact: str) -> dict[str, Any]:
    unknown = dict.fromkeys(("when", "where", "who", "why"), "N/A")
    kind = "assistant" if fact_type(fact) == "experience" else "world"
    return {"what": fact, **unknown, "fact_type": kind, "fact_kind": "conversation", "entities": []}


def _reflect(body: dict[str, Any]) -> StubReply:
    """Search as long as only that is offered; then say that it is enough, and end with the facts that were found."""
    offered = {each["function"]["name"]: each["function"] for each in body["tools"]}
    choice = body.get("tool_choice")
    name = choice["function"]["name"] if isinstance(choice, dict) else _next_of(offered, body["messages"])
    found = dict(_found(body["messages"]))
    if name == "answer_ready":
        return _call(name, {"answer_found": bool(found)})
    if name != "done":
        return _call(name, {"reason": "to answer", "query": _question(body["messages"])})
    written = synthesis(list(found.values()))
    told: dict[str, Any] = {"answer": written}
    if "document" in offered["done"]["parameters"]["properties"]:
        told = {"document": {"sections": [{"heading": SECTION, "level": 2, "blocks": [written]}]}}
    return _call(name, {**told, "memory_ids": list(found), "answer_found": bool(found)})


def _next_of(offered: Collection[str], messages: list[dict[str, Any]]) -> str:
    """Return the tool to call where the choice is free: first of all the facts themselves are looked up."""
    called = {call["function"]["name"] for each in messages for call in each.get("tool_calls") or ()}
    order = ("answer_ready", "done") if "recall" in called else ("recall", "answer_ready", "done")
    return next((name for name in order if name in offered), next(iter(offered)))


def _call(name: str, arguments: dict[str, Any]) -> StubReply:
    return tools((f"call_{name}", name, json.dumps(arguments)))


def _question(messages: list[dict[str, Any]]) -> str:
    return next(str(each["content"]) for each in messages if each["role"] == "user")


def _found(messages: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield id and text of each memory in the results of tools."""
    for each in messages:
        if each["role"] == "tool":
            yield from _memories(json.loads(each["content"]))


def _memories(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for each in value:
            yield from _memories(each)
    elif isinstance(value, dict):
        if isinstance(value.get("id"), str) and isinstance(value.get("text"), str):
            yield value["id"], value["text"]
        for each in value.values():
            yield from _memories(each)
