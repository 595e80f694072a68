"""What is known of a session that is kept in banks: how far, and what its first turn recalled."""

import json
import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from pydantic import BaseModel, ConfigDict

from fabric.flow.resource import Document
from fabric.store.base import Rows


class RetainState(BaseModel):
    """Of one session: ``retained_through_user_turn`` says for each bank up to which of the user's turns it is kept.

    ``text`` is what stands in the prompt since ``recalled_at_turn``, from the bank ``recalled_from``: the same to the
    byte in all turns, because providers cache a prompt by its beginning.
    """

    model_config = ConfigDict(frozen=True)

    retained_through_user_turn: dict[str, int] = {}
    recalled_from: str = ""
    recalled_at_turn: int = 0
    text: str = ""


class FrozenModels(BaseModel):
    """The block of mental models that a session began with, by the bank that it was made of."""

    model_config = ConfigDict(frozen=True)

    texts: dict[str, str] = {}


RETAIN_STATE = Document("retain_session", RetainState, "session")
RETAIN_MODELS = Document("retain_mental_models", FrozenModels, "session")
MANY = 100
"""From so many ids on all prompts are looked through."""
_ID = re.compile(r"\(id: ([^\s()]+)\)")
PROMPTS = frozenset({RETAIN_STATE.key, RETAIN_MODELS.key})
"""Documents that hold texts of prompts."""


def without_lines(text: str, is_gone: Callable[[str], bool]) -> str:
    r"""Return what stands in a prompt without the lines that are gone; a block of memories with none left goes, too.

    >>> without_lines("<memories>\n- a\n- b\n</memories>", lambda line: line == "- a")
    '<memories>\n- b\n</memories>'
    """
    left = "\n".join(line for line in text.split("\n") if line.startswith("<") or not is_gone(line))
    memories, end, others = left.partition("</memories>")
    return left if not end or "\n- " in memories else others.lstrip()


def take_out_of_prompts(rows: Rows, org: str | None, ids: AbstractSet[str]) -> int:
    """Take the lines of memories with these ids out of the prompts of an organisation's sessions, whoever's they are.

    Return in how many of them there were some.
    """
    sessions = [scope for scope in rows.owners() if scope.kind == "session" and json.loads(scope.key)[1] == org]
    told = [f"(id: {memory_id})" for memory_id in ids] if len(ids) < MANY else ["(id: "]
    changed = 0
    for scope, row in list(rows.containing(sessions, "documents", told)) if ids else ():
        if row["id"] in PROMPTS:
            left = without_gone(row["value"], lambda line: not ids.isdisjoint(_ID.findall(line)))
            if left != row["value"]:
                rows.write(row["id"], scope, left)
                changed += 1
    return changed


def without_gone(value: Mapping[str, Any], is_gone: Callable[[str], bool]) -> dict[str, Any]:
    """Return the JSON value of one of the `PROMPTS` without the lines that are gone."""
    left = dict(value)
    if "text" in left:
        left["text"] = without_lines(left["text"], is_gone)
    if "texts" in left:
        left["texts"] = {bank: without_lines(text, is_gone) for bank, text in left["texts"].items()}
    return left
