"""The import command as a user types it, and what the memory holds afterwards."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

ANN = ("--user", "ann", "--embedder", "none")


def command(*arguments: object) -> Result:
    from pipelines.cli.app import app

    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def bring(path: Path, *options: object) -> Result:
    return command("import", path, "--file", path.with_suffix(".duckdb"), *ANN, *options)


def report(path: Path, *options: object) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(bring(path, "--json", *options).stdout)
    return told


def counts(path: Path, kind: str = "messages") -> tuple[int, int]:
    told = report(path)[kind]
    return told["new"], told["known"]


def held(path: Path, user: str = "ann") -> list[dict[str, Any]]:
    """Return everything that the memory holds, as export writes it."""
    told = command("export", "--user", user, "--file", path.with_suffix(".duckdb"))
    return [json.loads(line) for line in told.stdout.splitlines()]


def facts(path: Path, user: str = "ann") -> list[dict[str, Any]]:
    return [record for record in held(path, user) if record["kind"] == "fact"]


def turns(path: Path, session: str) -> list[tuple[str, str]]:
    return [
        (record["role"], record["text"])
        for record in held(path)
        if record["kind"] == "turn" and record["session"] == session
    ]


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path
