"""What the model of `month_life` answers over HTTP: by what it is asked, and the same whenever it is asked the same."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.prompts import asked_by
from tests.stories.month import Month
from tests.stub_server.replies import StubReply, text
from tests.stub_server.server import Received

REMINDED = re.compile(r"^- \[(?:time|event|context)_based\] (.+)$", re.MULTILINE)
HEARD = re.compile(r"^\[(\d+)\] [^:]+, [\d-]+ [\d:]+: .*?((?:Say|Reply)(\d{3}))", re.MULTILINE)
NOTED = re.compile(r"^\[(\d+)\] \w+, [\d.]+, [\d-]+: (.+)$", re.MULTILINE)
SAID = re.compile(r"Say(\d{3}):")


def answers(month: Month) -> Callable[[Received], StubReply]:
    """Return what answers as the model."""
    by_step: dict[str, Callable[[str], Any]] = {
        "cognitive_observe": lambda shown: {"notes": [_note(month, *one) for one in HEARD.findall(shown)]},
        "cognitive_compress": lambda shown: {"notes": _fewer(shown)},
        "cognitive_reflect": _learned,
        "cognitive_gist": lambda shown: {"gist": f"Gist of {_said(shown)}"},
        "insight": lambda shown: {"insight": f"They go together since {_said(shown)}"},
    }

    def answer(received: Received) -> StubReply:
        messages = received.body["messages"]
        step, user = asked_by(messages), _content(messages[-1])
        if step in by_step:
            return text(json.dumps(by_step[step](user)))
        number = SAID.findall(user)[-1]
        every = "\n".join(_content(one) for one in messages)
        return text("\n".join([f"Reply{number}", *dict.fromkeys(REMINDED.findall(every))]))

    return answer


def _content(message: Any) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _said(shown: str) -> str:
    found = SAID.search(shown)
    return f"Say{found[1]}" if found else "then"


def _note(month: Month, place: str, word: str, number: str) -> dict[str, Any]:
    due = month.promised(int(number)) if word.startswith("Say") else None
    note: dict[str, Any] = {"content": word, "numbers": [int(place)]}
    if due is None:
        return note
    promise = {"kind": "commitment", "importance": 0.8, "when": f"{due:%Y-%m-%d at %H:%M}"}
    return {**note, **promise, "content": f"Promised{number}", "looks_ahead": True}


def _fewer(shown: str) -> list[dict[str, Any]]:
    """Return notes, two of them as one."""
    notes = NOTED.findall(shown)
    pairs = [notes[place : place + 2] for place in range(0, len(notes), 2)]
    return [
        {"content": " ".join(content for _, content in pair), "numbers": [int(number) for number, _ in pair]}
        for pair in pairs
    ]


def _learned(shown: str) -> dict[str, Any]:
    notes = NOTED.findall(shown.rpartition("The notes:")[2])
    return {
        "traces": [{"content": f"Learned: {content}", "numbers": [int(number)]} for number, content in notes],
        "keep": [],
    }
