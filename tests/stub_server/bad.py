"""Bad answers by name: what models write instead of the asked-for JSON, and what servers send instead of an answer.

The texts answer a schema ``{"observations": [{"content": str, "importance": 0..1, "category": "fact" | "plan"}]}``
whose list takes at most 25 items and whose items need only ``content``.
"""

import json
from dataclasses import dataclass

from .replies import StubReply, failure, hang, raw, wrong_length

GOOD = '{"observations": [{"content": "likes tea", "importance": 0.6}, {"content": "has a cat", "category": "plan"}]}'
_ITEMS = GOOD.removeprefix('{"observations": ').removesuffix("}")
_BOTH = ("likes tea", "has a cat")


@dataclass(frozen=True)
class Bad:
    """A bad answer: its text, the contents that can be saved from it (None: nothing), and the finish reason."""

    text: str
    kept: tuple[str, ...] | None = _BOTH
    finish: str = "stop"


def _observations(*items: str) -> str:
    return '{"observations": [' + ", ".join(items) + "]}"


def _item(content: str) -> str:
    return json.dumps({"content": content})


_SCHEMA = {
    "type": "object",
    "title": "Answer",
    "properties": {"observations": {"type": "array", "items": {"$ref": "#/$defs/Item"}}},
    "required": ["observations"],
}
_AROUND = {
    "code fence": Bad(f"```json\n{GOOD}\n```"),
    "code fence never closed": Bad(f"```json\n{GOOD}"),
    "code fence in prose": Bad(f"Here is the result:\n\n```\n{GOOD}\n```\n\nLet me know if it helps!"),
    "prose around": Bad(f"Sure! Here you go: {GOOD} Is there anything else?"),
    "prose with brackets": Bad(f"[note] I found {{two}} things. {GOOD} [end]"),
    "thinking": Bad(f'<think>Perhaps {{"observations": []}}? No.</think>\n{GOOD}'),
    "thinking never closed": Bad(f"<think>The user likes tea, so\n{GOOD}"),
    "thinking never opened": Bad(f"The user likes tea.</think>{GOOD}"),
    "byte order mark": Bad("\ufeff" + GOOD),
    "html comment around": Bad(f"<!-- answer --><pre>{GOOD}</pre>"),
}
_NEARLY = {
    "trailing commas": Bad(
        '{"observations": [{"content": "likes tea", "importance": 0.6,}, {"content": "has a cat"},],}'
    ),
    "single quotes": Bad("{'observations': [{'content': 'likes tea'}, {'content': 'has a cat'}]}"),
    "python repr": Bad("{'observations': [{'content': \"it's Ann's cat\", 'importance': None}]}", ("it's Ann's cat",)),
    "comments": Bad('{"observations": [ // what I saw\n{"content": "likes tea"}, /* and */ {"content": "has a cat"}]}'),
    "unquoted keys": Bad('{observations: [{content: "likes tea"}, {content: "has a cat"}]}'),
    "typographic quotes": Bad("{“observations”: [{“content”: “likes tea”}, {“content”: “has a cat”}]}"),
    "quotes inside": Bad('{"observations": [{"content": "said "hi" to Bo"}]}', ('said "hi" to Bo',)),
    "quote never closed": Bad('{"observations": [{"content": "a 5" disk"}, {"content": "has a cat"}]}', ("has a cat",)),
    "raw line break": Bad('{"observations": [{"content": "two\nlines"}]}', ("two\nlines",)),
    "missing closers": Bad('{"observations": [{"content": "likes tea"}, {"content": "has a cat"}', _BOTH),
    "one object per line": Bad('{"content": "likes tea"}\n{"content": "has a cat"}'),
}
_CUT = {
    "cut in the second item": Bad(GOOD[:70], ("likes tea",), "length"),
    "cut without a reason": Bad(GOOD[:70], ("likes tea",)),
    "cut in the first item": Bad(GOOD[:30], None, "length"),
    "cut before the list": Bad('{"observ', None, "length"),
    "cut while thinking": Bad("<think>Let me see what the user", None, "length"),
}
_SHAPE = {
    "empty": Bad("", None),
    "blank": Bad(" \n\t ", None),
    "empty object": Bad("{}", None),
    "null": Bad("null", None),
    "schema echoed": Bad(json.dumps(_SCHEMA), None),
    "data inside the schema": Bad(json.dumps({**_SCHEMA, "properties": json.loads(GOOD)})),
    "bare array": Bad(_ITEMS),
    "single object": Bad(_item("likes tea"), ("likes tea",)),
    "object for the list": Bad('{"observations": {"content": "likes tea"}}', ("likes tea",)),
    "numbered items": Bad('{"observations": {"1": {"content": "likes tea"}, "2": {"content": "has a cat"}}}'),
    "strings for objects": Bad('{"observations": ["likes tea", "has a cat"]}'),
    "list renamed": Bad('{"facts": [{"content": "likes tea"}, {"content": "has a cat"}]}'),
    "keys renamed": Bad('{"observations": [{"text": "likes tea", "importance": 0.6}, {"fact": "has a cat"}]}'),
    "keys in other case": Bad('{"Observations": [{"Content": "likes tea"}, {"CONTENT": "has a cat"}]}'),
    "output wrappers": Bad(f'{{"output": {{"result": {GOOD}}}}}'),
    "tool call as text": Bad(json.dumps({"name": "observe", "arguments": GOOD})),
    "list of tool calls": Bad(json.dumps([{"type": "function", "function": {"name": "observe", "arguments": GOOD}}])),
    "encoded twice": Bad(json.dumps(GOOD)),
    "list encoded twice": Bad(json.dumps({"observations": _ITEMS})),
    "yaml": Bad("observations:\n  - content: likes tea\n  - content: has a cat\n", None),
    "markdown list": Bad("- likes tea\n- has a cat\n", None),
    "html error page": Bad("<html><style>a{color:red}</style><body>502 Bad Gateway</body></html>", None),
    "refusal": Bad("I'm sorry, but I can't help with that.", None),
}
_VALUES = {
    "invented keys and ids": Bad(
        _observations('{"content": "likes tea", "id": "wm_9999", "replaces": "12"}'), ("likes tea",)
    ),
    "NUL": Bad('{"observations": [{"content": "a\\u0000b"}]}', ("ab",)),
    "lone surrogate": Bad('{"observations": [{"content": "caf\\ud83d"}]}', ("caf\ufffd",)),
    "NaN and Infinity": Bad(
        _observations('{"content": "likes tea", "importance": NaN}', '{"content": "has a cat", "importance": Infinity}')
    ),
    "number of 5,000 digits": Bad(
        _observations('{"content": "likes tea", "importance": ' + "9" * 5000 + "}", _item("has a cat"))
    ),
    "number too large": Bad(
        _observations('{"content": "bad", "importance": 1e300}', _item("has a cat")), ("has a cat",)
    ),
    "number as text": Bad(_observations('{"content": "likes tea", "importance": "0.6"}', _item("has a cat"))),
    "word for a number": Bad(_observations('{"content": "likes tea", "importance": "high"}', _item("has a cat"))),
    "null for a default": Bad(_observations('{"content": "likes tea", "category": null}', _item("has a cat"))),
    "wrong choice": Bad(_observations('{"content": "bad", "category": "banana"}', _item("has a cat")), ("has a cat",)),
    "choice in other case": Bad(_observations('{"content": "likes tea", "category": "FACT"}', _item("has a cat"))),
    "one item is a number": Bad(_observations("7", _item("has a cat")), ("has a cat",)),
    "duplicates": Bad(_observations(_item("likes tea"), _item("likes tea"), _item("has a cat"))),
    "200 items": Bad(_observations(*(_item(f"item {n}") for n in range(200))), tuple(f"item {n}" for n in range(25))),
    "item of 1 MB": Bad(_observations(_item("one two three four " * 55_000), _item("has a cat")), ("has a cat",)),
    "one word repeated": Bad(_observations(_item("no " * 200), _item("has a cat")), ("has a cat",)),
    "one sign repeated": Bad(_observations(_item("哈" * 300), _item("has a cat")), ("has a cat",)),
    "every item bad": Bad(_observations('{"importance": 0.5}', "null"), None),
    "1 MB without JSON": Bad("lorem ipsum " * 90_000, None),
    "brackets only": Bad("[" * 100_000, None),
}
BAD_ANSWERS: dict[str, Bad] = {**_AROUND, **_NEARLY, **_CUT, **_SHAPE, **_VALUES}

_EMPTY = {"id": "x", "object": "chat.completion", "created": 1, "model": "stub", "choices": []}
BAD_TRANSPORT: dict[str, StubReply] = {
    "429": failure(429),
    "500": failure(500),
    "502 with a page": raw(b"<html>502 Bad Gateway</html>", status=502, content_type="text/html"),
    "503": failure(503),
    "529": failure(529),
    "408": failure(408),
    "no choices": raw(json.dumps(_EMPTY).encode()),
    "no JSON": raw(b"upstream is restarting"),
    "empty body": raw(b""),
    "page with status 200": raw(b"<html>Sign in</html>", content_type="text/html"),
    "half a body": wrong_length("hello"),
    "hanging": hang(),
}
