"""What in a file cannot be read: where it stands and why."""

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be taken from a file: where it stands (``line 7``) and why."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


def parsed(data: bytes) -> Any:
    """Return the JSON value of some bytes; ValueError says why there is none."""
    try:
        return json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte {error.start + 1} is {data[error.start]:#04x}") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("not readable: nested too deeply") from error


def kind_of(value: object) -> str:
    """Return what a JSON value is, in words."""
    names = {"NoneType": "nothing", "dict": "an object", "list": "a list", "str": "text"}
    return names.get(type(value).__name__, f"{type(value).__name__} {value!r}"[:40])
