"""A check-up of a memory's file: every check there is, in the order in which a reader wants to know."""

import asyncio
import os
import platform
import shlex
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from blocks.reembed import embedded_collections, embedding_status
from capabilities.cognitive.capability import COGNITIVE_RESOURCES
from capabilities.communities.tables import COMMUNITY_RESOURCES
from capabilities.memory.layout import MemoryLayout
from capabilities.memory.reference_check import reference_findings
from capabilities.memory.systems import collections_of_others
from capabilities.mind.draft_check import draft_findings
from capabilities.mind.store import mind_collections
from capabilities.traces.checkup import trace_findings
from fabric.embedding.files import is_installed
from fabric.embedding.remote import RemoteEmbedder
from fabric.embedding.static import PACKAGE
from fabric.errors import ConfigurationError, EmbedderError, StoreError
from fabric.flow.resource import Collection, Resource
from fabric.jobs.job import EFFECTS, JOBS, TURNS
from fabric.models.litellm import needs_of
from fabric.record.log import ITEMS
from fabric.scope import SCOPE_KINDS
from fabric.sessions.record_check import job_findings, record_findings
from fabric.store.base import Table
from fabric.store.duckdb.backup import backup_findings
from fabric.store.duckdb.check.block_check import block_findings, reading_bytes
from fabric.store.duckdb.check.file_check import change_findings, format_findings, path_findings, refusal
from fabric.store.duckdb.check.index_check import index_findings
from fabric.store.duckdb.check.scan import FileScan
from fabric.store.duckdb.file.opening import reading
from fabric.store.duckdb.store import DuckDBStore
from fabric.store.finding import Finding
from fabric.store.renewal import Coverage, coverage

from .chat import CHAT
from .system import memory_system

PACKAGES = ("thought-fabric", "duckdb", "litellm", "numpy", "pydantic")
EXTRAS = {
    "minilm": "onnxruntime",
    "mcp": "mcp",
    "langgraph": "langgraph",
    "openai-agents": "agents",
    "pydantic-ai": "pydantic_ai",
}
"""A package that each extra brings, by the extra's name."""
DEFAULT = "default"
ENGINE_TABLES = (ITEMS, JOBS, EFFECTS, TURNS)


def check_up(
    file: Path,
    *,
    model: str = "",
    api_base: str = "",
    embedder: str = "",
    backup: Path | None = None,
    moved: Callable[[int], object] = lambda _: None,
) -> Iterator[Finding]:
    """Yield what every check of the file finds; nothing is written, and nobody on the network is asked.

    An embedder is what `memory_system` takes, or "none"; ``moved`` is told how many rows were compared.
    """
    yield from packages()
    looked = list(path_findings(file))
    yield from looked
    if os.access(file, os.R_OK) and not any(
        finding.check in ("file", "content") and finding.mend for finding in looked
    ):
        yield from _inside(file, embedder, moved)
        if backup is not None:
            yield from backup_findings(file, backup)
    yield model_finding(model, api_base=api_base)


def packages() -> Iterator[Finding]:
    """Say which versions run here, and which extras are installed."""
    here = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
    yield Finding("packages", "ok", f"Python {platform.python_version()}; {here}")
    there = [name for name, package in EXTRAS.items() if is_installed(package)]
    absent = [name for name in EXTRAS if name not in there]
    found = f"installed: {', '.join(there) or 'none'}"
    if absent:
        found += f"; not installed: {', '.join(absent)} (pip install 'path/to/thought-fabric[{absent[0]}]' adds one)"
    yield Finding("extras", "ok", found)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed as a package)"


def _inside(file: Path, embedder: str, moved: Callable[[int], object]) -> Iterator[Finding]:
    """Yield what is found inside the file, or why it cannot be opened, or not be read to its end."""
    try:
        with reading_bytes(file) as (sql, raw):
            yield Finding("lock", "ok", "nobody holds the file")
            yield from change_findings(file)
            yield from block_findings(sql, raw)
            yield from contents(FileScan(sql), file, embedder, moved)
    except StoreError as error:
        yield refusal(file, error)


def contents(scan: FileScan, file: Path, embedder: str, moved: Callable[[int], object]) -> Iterator[Finding]:
    """Yield what is found in an open file."""
    place = shlex.quote(str(file))
    at = f"--file {place}"
    yield from format_findings(scan)
    yield from job_findings(scan, {CHAT}, f"thought-fabric jobs {at} --retry")
    yield from draft_findings(scan)
    if scan.is_current:
        yield from embedder_findings(scan, embedder, at)
        yield from reference_findings(scan, memory_system(episodic=True, semantic=True, embedder=None).layout)
        yield from trace_findings(scan)
        yield from record_findings(scan, known_collections(scan.tables))
        rebuild_it = f"thought-fabric doctor {place} --rebuild-index"
        yield from index_findings(scan, known_tables(scan.tables), rebuild_it, moved)


def known_collections(tables: Iterable[str] = ()) -> list[Collection[Any]]:
    """Return every collection of the memories that are known here, and of those with names among a file's tables."""
    layout = memory_system(episodic=True, semantic=True, embedder=None).layout
    kept: list[Resource] = [*layout.resources, *COGNITIVE_RESOURCES, *COMMUNITY_RESOURCES]
    for kind in SCOPE_KINDS:
        kept += mind_collections(kind).all
    others = [collection for _, collection in collections_of_others(tables)]
    return [*(resource for resource in kept if isinstance(resource, Collection)), *others]


def known_tables(tables: Iterable[str] = ()) -> list[Table]:
    """Return the tables of those collections, and of the engine itself, with how their rows are found."""
    return [*ENGINE_TABLES, *(collection.table for collection in known_collections(tables))]


def rebuild(file: Path, moved: Callable[[int], object] = lambda _: None) -> dict[str, int]:
    """Make the index of a file anew from its rows; return how many rows of each collection it was wrong for."""
    with reading(file) as sql:  # raises for what is no memory, of which opening it would make one
        tables = list(FileScan(sql).tables)
    store = DuckDBStore(file)
    store.open()
    try:
        return store.rebuild(known_tables(tables), moved)
    finally:
        store.close()


def embedder_findings(scan: FileScan, choice: str, at: str) -> Iterator[Finding]:
    """Say which embedder is in use, whether it works, and which rows have no vector of it."""
    mend = f"thought-fabric reembed {at}" + (f" --embedder {shlex.quote(choice)}" if choice else "")
    try:
        layout = memory_system(
            episodic=True, semantic=True, embedder=None if choice == "none" else choice or DEFAULT
        ).layout
    except ConfigurationError as error:
        yield Finding("embedder", "problem", str(error), "install what it names, or choose another with --embedder")
        return
    own = layout.meaning.embedder
    if own is None:
        found = "none, everything is found by its words"
        if choice == "none":
            yield Finding("embedder", "ok", found)
        else:
            yield Finding(
                "embedder", "warning", f"{found}: {PACKAGE} is not installed", "pip install 'wordllama>=0.4,<0.5'"
            )
        return
    space, failure = _space(layout, scan)
    seen = dict.fromkeys(embedded_collections(layout), Coverage())
    for name, collection in [*embedded_collections(layout).items(), *collections_of_others(scan.tables)]:
        seen[name] += coverage(
            scan.spaces(collection.table.name), space, scan.without_passages(collection.table.name, space)
        )
    status = embedding_status(own.name, space, seen, failure)
    rows = sum(kind.rows for kind in status.kinds)
    if failure:
        yield Finding("embedder", "problem", f"{own.name}: {failure}", f"repair that, then run: {mend}")
    elif status.left:
        others = "".join(f"; {count} have one of {name}" for name, count in status.other_models.items())
        long = (
            f"; long rows with one for all of their text: {status.without_passages}" if status.without_passages else ""
        )
        found = f"{own.name}: {status.left - status.without_passages} of {rows} rows have no vector of it{others}{long}"
        yield Finding("embedder", "warning", found, mend)
    else:
        yield Finding("embedder", "ok", f"{own.name}: all {rows} rows have its vectors")
    if isinstance(own, RemoteEmbedder):
        yield model_finding(own.name, "embedder's model")


def _space(layout: MemoryLayout, scan: FileScan) -> tuple[str, str]:
    """Return the identity of the embedder's model, and why it fails; one of a provider is told by its name only."""
    own = layout.meaning.embedder
    if isinstance(own, RemoteEmbedder):
        spaces = {
            space for collection in known_collections(scan.tables) for space in scan.spaces(collection.table.name)
        }
        return next((space for space in sorted(spaces) if space.rsplit("/", 2)[0] == own.name), ""), ""
    try:
        return asyncio.run(layout.meaning.space()), ""
    except EmbedderError as error:
        return "", str(error)


def model_finding(model: str, check: str = "model", api_base: str = "") -> Finding:
    """Say whether a model id can work as things are: its provider, and whether its key is set; no key is told."""
    if not model or api_base:
        own = f"{model}, at {api_base}: not asked whether it answers"
        none = "none given: rules are used (name one with --model to have it checked)"
        return Finding(check, "ok", own if model else none)
    needs = needs_of(model)
    if not needs.provider:
        mend = "write it with its provider, such as openai/gpt-5-mini"
        return Finding(check, "problem", f"litellm knows no provider for {model!r}", mend)
    keys = needs.missing_keys
    if keys:
        found = f"{model}, of {needs.provider}: {' or '.join(keys)} is not set in the environment"
        return Finding(check, "problem", found, f"export {keys[0]}=...")
    found = f"{model}, of {needs.provider}: {needs.key + ' is set' if needs.key else 'no key is missing'}"
    if needs.missing:
        return Finding(check, "ok", f"{found}; {', '.join(needs.missing)} not set, so its usual address is asked")
    if not needs.is_listed:
        mend = "check its spelling; a model of an own server works, only its cost counts as 0"
        return Finding(check, "warning", f"{found}, but litellm's list has no such model", mend)
    return Finding(check, "ok", found)
