"""Which step of the memory asks a model: by the files that its prompts are filled from, whatever these say."""

import re
from functools import cache
from typing import Any

from blocks.prompts import PROMPTS

GAP = re.compile(r"\{\{(\w+)\}\}|\{\w+\}")


def asked_by(messages: Any) -> str:
    """Return the name of the prompt file that the first message was filled from, or "" for somebody else's.

    >>> asked_by([{"role": "system", "content": (PROMPTS / "hyde.md").read_text(encoding="utf-8").strip()}])
    'hyde'
    >>> asked_by([{"role": "system", "content": "You are helpful."}])
    ''
    """
    content = messages[0]["content"]
    text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    return next((name for name, form in _forms() if form.match(text)), "")


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    """Return what a filled prompt begins with for each file, the longest first."""
    texts = {
        path.stem: path.read_text(encoding="utf-8").strip() for path in PROMPTS.glob("*.md") if path.stem != "README"
    }
    return [(name, _form(text)) for name, text in sorted(texts.items(), key=lambda item: -len(item[1]))]


def _form(text: str) -> re.Pattern[str]:
    written, at = "", 0
    for gap in GAP.finditer(text):
        written += re.escape(text[at : gap.start()]) + (re.escape(f"{{{gap[1]}}}") if gap[1] else ".*?")
        at = gap.end()
    return re.compile(written + re.escape(text[at:]), re.DOTALL)
