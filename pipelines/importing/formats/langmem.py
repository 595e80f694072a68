"""LangMem and LangGraph: the items of a store, each with its namespace, its key and a value of some schema."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fabric.narrowing import is_dict, is_list

from ..elements import Piece
from ..problems import Problem, kind_of
from ..records import Entry, PlainReader, Statement, mapping, moment, name_of, tags_of, text_of

CONTAINERS = ("", "items", "results")
TEXTS = ("content", "memory", "text", "data")
"""The fields of a value that may be its text."""


def claims(piece: Piece) -> bool:
    """Return whether a record looks like an item of a store."""
    record = mapping(piece.value)
    return (
        piece.key in CONTAINERS and {"key", "value"} <= record.keys() and bool({"namespace", "prefix"} & record.keys())
    )


def belongs(owner: str, wanted: str) -> bool:
    """Return whether a namespace is meant by its whole path or by one part of it."""
    return owner == wanted or wanted in owner.split("/")


class LangMem(PlainReader):
    """Reads items. The fields of a profile become a statement each."""

    def read(self, piece: Piece) -> Iterator[Entry]:
        """Yield what an item says."""
        record = mapping(piece.value)
        if piece.key not in CONTAINERS:
            return
        try:
            if not claims(piece):
                raise ValueError(f'expected an item with "namespace", "key" and "value", got {kind_of(piece.value)}')
            created, updated = moment(record.get("created_at")), moment(record.get("updated_at"))
            owner = _owner(record.get("namespace", record.get("prefix")))
            said = list(_said(name_of(record["key"]), record["value"]))
            if not said:
                raise ValueError("the value says nothing")
        except ValueError as error:
            yield Problem(piece.where, str(error))
            return
        for name, text, subject, tags in said:
            try:
                yield Statement(
                    where=piece.where,
                    record=name,
                    text=text_of(text, "the memory"),
                    known_from=updated or created,
                    is_dated=updated is not None,
                    valid_from=created or updated,
                    subject=subject,
                    kind="item",
                    tags=tags,
                    owner=owner,
                )
            except ValueError as error:
                yield Problem(piece.where, str(error))


def _owner(namespace: object) -> str:
    parts = namespace.split(".") if isinstance(namespace, str) else namespace
    if not is_list(parts) or not all(isinstance(part, str) for part in parts):
        raise ValueError(f"the namespace must be a list of texts, got {kind_of(namespace)}")
    return "/".join(parts)


def _said(key: str, value: object) -> Iterator[tuple[str, object, str, tuple[str, ...]]]:
    """Yield what a value says: its id, its text, whom it is about, and what it is filed under."""
    if isinstance(value, str):
        yield key, value, "user", ()
        return
    if not is_dict(value):
        raise ValueError(f"the value must be an object, got {kind_of(value)}")
    kind = value.get("kind")
    content = value["content"] if isinstance(kind, str) and is_dict(value.get("content")) else value
    tags = tags_of(kind if kind != "Memory" else None, value.get("tags"), mapping(content).get("tags"))
    if {"subject", "predicate", "object"} <= content.keys():
        yield key, _triple(content), name_of(content["subject"])[:120] or "user", tags
        return
    text = next((content[name] for name in TEXTS if isinstance(content.get(name), str)), None)
    if text is not None:
        yield key, text, "user", tags
        return
    for name, field in content.items():
        if field is not None and name != "kind":
            yield f"{key}.{name}", f"{name}: {_spelled(field)}", "user", tags


def _triple(content: Mapping[str, Any]) -> str:
    text = " ".join(_spelled(content[name]) for name in ("subject", "predicate", "object"))
    return f"{text} ({_spelled(content['context'])})" if content.get("context") else text


def _spelled(value: object) -> str:
    if isinstance(value, str):
        return value
    if is_list(value) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)
