"""Who traces, in a process of its own: nobody, a provider that the environment names, and one as the README sets it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN = """
import sys
from fabric import Fabric, generator, handler, sequencer
from fabric.testing import ScriptedModel

shout = handler(str.upper, name="shout")
talk = sequencer(name="talk").then(shout).then(generator(name="chat", model="m")).work(shout.renamed("later"))
with Fabric(models=ScriptedModel(["ok"])) as fabric:
    assert fabric.session("s").run(talk, "hi").output == "ok"
    fabric.drain()
"""
NAMED = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

provider = trace.get_tracer_provider()
assert isinstance(provider, TracerProvider)
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
with Fabric() as fabric:
    fabric.session("s").run(shout, "hi")
"""


def run(code: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    known = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**known, "PYTHONPATH": str(ROOT), **environment},
    )


def spans(output: str) -> list[str]:
    """Return the names of the spans that the console exporter printed."""
    return re.findall(r'^    "name": "(.*)",$', output, re.MULTILINE)


def test_without_a_provider_runs_jobs_and_logs_do_not_even_load_the_library():
    done = run(RUN + "print([name for name in sys.modules if name.startswith('opentelemetry')])")
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_library_that_is_loaded_without_a_provider_is_no_reason_to_trace():
    code = RUN.replace("drain()", "drain()\n    fabric.session('s').run(look)")
    look = "look = handler(lambda ctx: print(ctx.run.observed, log_ids(), [carrier()]), name='look')"
    imports = "import opentelemetry.trace\nfrom fabric import handler\nfrom fabric.telemetry.tracing import *\n"
    done = run(f"{imports}{look}\n{code}")
    assert (done.stdout, done.stderr) == ("False {} ['']\n", "")


def test_a_provider_that_the_environment_names_is_used_from_the_first_run_on():
    done = run(RUN + NAMED, OTEL_PYTHON_TRACER_PROVIDER="sdk_tracer_provider")
    assert done.returncode == 0, done.stderr
    assert {"run shout", "handler shout"} <= set(spans(done.stdout))


def test_the_first_run_loads_the_provider_that_the_environment_names():
    code = RUN + "print('opentelemetry.sdk.trace' in sys.modules)"
    assert run(code, OTEL_PYTHON_TRACER_PROVIDER="sdk_tracer_provider").stdout == "True\n"


def test_a_provider_that_cannot_be_loaded_stops_no_run_and_is_named_once():
    done = run(RUN + "print('went on')", OTEL_PYTHON_TRACER_PROVIDER="nobody's")
    assert done.stdout == "went on\n"
    assert done.stderr.count("Failed to load configured provider") == 1


def test_a_library_that_is_switched_off_records_nothing():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert spans(run(snippet(readme), OTEL_SDK_DISABLED="true").stdout) == []


def snippet(readme: str) -> str:
    section = readme.partition("## Tracing\n")[2].partition("\n## ")[0]
    return section.partition("```python\n")[2].partition("```")[0]


def test_the_code_of_the_readme_prints_the_spans_it_names():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    done = run(snippet(readme))
    assert done.returncode == 0, done.stderr
    assert spans(done.stdout)[-2:] == ["handler shout", "run shout"]
    printed = [json.loads(text) for text in re.findall(r"^\{$.*?^\}$", done.stdout, re.MULTILINE | re.DOTALL)]
    assert {record["context"]["trace_id"] for record in printed} == {printed[-1]["context"]["trace_id"]}
