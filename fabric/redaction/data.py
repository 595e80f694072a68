"""The rules of this folder, read from the JSON beside the code when they are first needed."""

import json
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def data(name: str) -> dict[str, Any]:
    """Return the content of one of this folder's JSON files."""
    content: dict[str, Any] = json.loads(files("fabric.redaction").joinpath(name).read_text(encoding="utf-8"))
    return content
