"""doctor and reembed: which embedder, what is missing, and how it is mended."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabric.embedding.files import is_installed
from fabric.embedding.minilm import PACKAGES
from fabric.embedding.static import PACKAGE
from tests.stub_server import StubServer, failure, stub_server

from .conftest import run

__all__ = ["stub_server"]
needs_static = pytest.mark.skipif(not is_installed(PACKAGE), reason="the static model has no wheel for this platform")


@pytest.fixture(autouse=True)
def provider(stub_server: StubServer) -> Iterator[None]:
    """Let models of the provider answer from the stub server."""
    before = dict(os.environ)
    os.environ |= {"OPENAI_API_BASE": f"{stub_server.url}/v1", "OPENAI_API_KEY": "none"}
    os.environ.pop("THOUGHT_FABRIC_EMBEDDER", None)
    yield
    os.environ.clear()
    os.environ.update(before)


def told(file: Path, *options: str) -> dict[str, Any]:
    """Return what doctor finds out about the embedder."""
    findings: list[dict[str, Any]] = json.loads(run("doctor", file, "--json", *options).stdout)
    return next(finding for finding in findings if finding["check"] == "embedder")


def left(file: Path, *options: str) -> int:
    """Return how many rows have no vector, by what doctor says."""
    found = re.search(r": (\d+) of \d+ rows have no vector of it", told(file, *options)["found"])
    return int(found[1]) if found else 0


@needs_static
def test_reembed_leaves_nothing_to_do(demo_file: Path) -> None:
    before = left(demo_file)
    done = run("reembed", "--file", demo_file)
    assert done.exit_code == 0
    assert done.stdout == f"{before} of {before} rows got a vector of wordllama-l2-supercat-256.\n"
    after = told(demo_file)
    assert (after["state"], after["mend"]) == ("ok", "")
    assert re.fullmatch(r"wordllama-l2-supercat-256: all \d+ rows have its vectors", after["found"])


@needs_static
def test_another_model_is_seen_and_converted_to_and_back(demo_file: Path) -> None:
    run("reembed", "--file", demo_file)
    shown = told(demo_file, "--embedder", "openai/stub")
    rows = left(demo_file, "--embedder", "openai/stub")
    others = f"{rows} have one of wordllama-l2-supercat-256"
    assert shown["found"].startswith(f"openai/stub: {rows} of {rows} rows have no vector of it; {others}")
    assert shown["mend"] == f"thought-fabric reembed --file {demo_file} --embedder openai/stub"
    os.environ["THOUGHT_FABRIC_EMBEDDER"] = "openai/stub"
    assert json.loads(run("reembed", "--file", demo_file, "--json").stdout) == {"embedded": rows, "degraded": ""}
    assert left(demo_file) == 0
    assert "Stripe" in run("recall", "where does he work", "--file", demo_file, "--user", "jake").stdout
    del os.environ["THOUGHT_FABRIC_EMBEDDER"]
    assert json.loads(run("reembed", "--file", demo_file, "--json").stdout)["embedded"] == rows


def test_a_failing_embedder_is_told_and_recall_goes_on(demo_file: Path, stub_server: StubServer) -> None:
    stub_server.script_embeddings([failure(401)] * 20)
    done = run("reembed", "--file", demo_file, "--embedder", "openai/stub")
    assert done.exit_code == 1
    assert done.stderr.startswith("error: model 'openai/stub': check the API key")
    os.environ["THOUGHT_FABRIC_EMBEDDER"] = "openai/stub"
    assert "Stripe" in run("recall", "Stripe", "--file", demo_file, "--user", "jake").stdout


def test_without_an_embedder_there_is_nothing_to_mend(demo_file: Path) -> None:
    shown = told(demo_file, "--embedder", "none")
    assert (shown["state"], shown["found"]) == ("ok", "none, everything is found by its words")
    done = run("reembed", "--file", demo_file, "--embedder", "none")
    assert (done.exit_code, done.stderr) == (1, "error: there is no embedder: everything is found by its words\n")


@pytest.mark.skipif(not all(map(is_installed, (PACKAGE, *PACKAGES))), reason="needs the extra minilm")
def test_minilm_by_its_name(demo_file: Path) -> None:
    assert run("reembed", "--file", demo_file, "-e", "minilm").exit_code == 0
    shown = told(demo_file, "-e", "minilm")
    assert shown["found"].startswith("wordllama-l2-supercat-256+all-minilm-l6-v2-int8: all ")


def test_a_missing_file_is_not_made(tmp_path: Path) -> None:
    refused = run("reembed", "--file", tmp_path / "none.duckdb")
    assert refused.exit_code == 1
    assert "there is no such file" in refused.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("reembed",), ("mind", "show")])
def test_an_embedder_that_nobody_knows_is_refused_by_every_command(demo_file: Path, command: tuple[str, ...]) -> None:
    os.environ["THOUGHT_FABRIC_EMBEDDER"] = "foo"
    told = run(*command, "--file", demo_file)
    assert told.exit_code != 0
    assert "embedder 'foo' is unknown" in told.output
