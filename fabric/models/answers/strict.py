"""JSON schemas in the narrow form that providers' strict modes accept, made from pydantic models."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import CoreSchema

from fabric.narrowing import is_dict, is_list

_KEPT = ("type", "enum", "const", "description")
# Limits are not part of strict mode, yet values are checked against them: the description tells the model.
_NOTED = (
    "format",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
)
_NULL: dict[str, Any] = {"type": "null"}
_ANYTHING: dict[str, Any] = {"anyOf": [{"type": kind} for kind in ("string", "number", "boolean", "null")]}


_EXAMPLE = re.compile(r"^[ \t]*>>> .*", re.MULTILINE | re.DOTALL)


class _Generator(GenerateJsonSchema):
    # A default that JSON cannot hold stays a default; only the schema does not show it.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> JsonSchemaValue:
        """Return the schema, its descriptions without the examples of code that a docstring ends with."""
        return dict(_without_examples(super().generate(schema, mode)))


def _without_examples(node: Any) -> Any:
    if is_dict(node):
        cleaned = {key: _without_examples(each) for key, each in node.items()}
        if isinstance(description := cleaned.get("description"), str):
            cleaned["description"] = _EXAMPLE.sub("", description).strip()
        return cleaned
    return [_without_examples(each) for each in node] if is_list(node) else node


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the model's JSON schema as a prompt shows it to a language model."""
    schema: dict[str, Any] = model.model_json_schema(schema_generator=_Generator)
    return schema


@lru_cache(maxsize=512)
def strict_schema(model: type[BaseModel]) -> Mapping[str, Any]:
    """Return the model's JSON schema for strict mode; treat it as read-only.

    Objects are closed and all their properties required; a property with a default also takes null, which stands for
    the default. An open mapping becomes a string holding JSON. Limits that strict mode does not know move into the
    description. Each nested model has one definition, under ``$defs``.
    """
    raw = plain_schema(model)
    # A model that contains itself is a reference at the top, which strict mode does not take.
    top = raw["$defs"][raw["$ref"].rpartition("/")[2]] if "$ref" in raw else raw
    result = _object(top)
    if raw.get("$defs"):
        result["$defs"] = {name: _strict(node) for name, node in raw["$defs"].items()}
    return result


def _strict(node: Mapping[str, Any]) -> dict[str, Any]:
    node = _merged(node)
    if "$ref" in node:
        return _described({"$ref": node["$ref"]}, node.get("description", ""))
    choices = node.get("anyOf") or node.get("oneOf")
    if choices:
        return _described({"anyOf": [_strict(choice) for choice in choices]}, _description(node))
    if node.get("type") == "object":
        return _object(node) if "properties" in node else _open(node)
    if node.get("type") == "array":
        return _array(node)
    if not {"type", "enum", "const"} & node.keys():
        return _described(dict(_ANYTHING), _description(node))
    return _described({key: node[key] for key in _KEPT if key in node}, _description(node))


def _merged(node: Mapping[str, Any]) -> Mapping[str, Any]:
    merged = {key: value for key, value in node.items() if key != "allOf"}
    for part in node.get("allOf", ()):
        merged = {**part, **merged}
    return merged


def _object(node: Mapping[str, Any]) -> dict[str, Any]:
    required = set(node.get("required", ()))
    properties = {
        name: _strict(part) if name in required else _optional(part)
        for name, part in node.get("properties", {}).items()
    }
    closed = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return _described(closed, node.get("description", ""))


def _optional(node: Mapping[str, Any]) -> dict[str, Any]:
    result = _strict(node)
    choices = [dict(choice) for choice in result["anyOf"]] if "anyOf" in result else [_plain(result)]
    if _NULL not in choices:
        choices.append(_NULL)
    default = node.get("default")
    note = "" if default is None else f"Null means {json.dumps(default, ensure_ascii=False)}."
    return _described({"anyOf": choices}, " ".join(filter(None, (result.get("description", ""), note))))


def _plain(node: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key != "description"}


def _open(node: Mapping[str, Any]) -> dict[str, Any]:
    description = " ".join(filter(None, (node.get("description", ""), "A JSON object, written as text.")))
    return {"type": "string", "description": description}


def _array(node: Mapping[str, Any]) -> dict[str, Any]:
    places = [_strict(place) for place in node.get("prefixItems", ())]
    items: dict[str, Any] = {"anyOf": places} if places else _strict(node.get("items") or {})
    return _described({"type": "array", "items": items}, _description(node))


def _description(node: Mapping[str, Any]) -> str:
    limits = ", ".join(f"{key} {node[key]}" for key in _NOTED if key in node)
    return " ".join(filter(None, (node.get("description", ""), f"({limits})" if limits else "")))


def _described(node: dict[str, Any], description: str) -> dict[str, Any]:
    if not description:
        return node
    # A reference may have no neighbours in strict mode, so it becomes the one choice of a described union.
    body: dict[str, Any] = {"anyOf": [node]} if "$ref" in node else node
    return {**body, "description": description}
