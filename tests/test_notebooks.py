"""The notebooks run from beginning to end, without a network, in kernels that are forked from one that is ready."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import nbformat
import pytest
from jupyter_client import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner
from nbclient import NotebookClient
from traitlets.config import Config

from tests import forkserver

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
PICTURES = {
    "01_blocks": 1,
    "02_memory": 3,
    "03_agent_mind": 1,
    "04_cognitive_memory": 6,
    "05_any_agent": 1,
    "06_retain": 1,
}
KEPT_WITH_OUTPUTS = ("04_cognitive_memory", "06_retain")
"""The curves of one are the reason for a default, and of the other a server is a part: to be seen without running."""
SAYS = {
    "01_blocks": ["SchemaMismatchError", "DuplicateNameError", "flowchart TD", "Take an umbrella", "left: []"],
    "02_memory": [
        "working memory of friday",
        "Works at Google as a backend engineer (superseded)",
        "above the next by",
        "likely  where is the harbour we liked?",
        "probably nothing  which opera did the mayor sing?",
        "now: Joined Stripe last week",
        "then: Works at Google as a backend engineer",
        "Anna is in 0 of them",
    ],
    "03_agent_mind": [
        "[high] Monitor TSMC capacity announcements for Q3",
        "- TSMC is fully booked for Q2 2026. (high confidence)",
        "updated_store",
        "the strike is in the header: False",
        "all 5 places for active goals are taken",
        "'mg_made_up' is no goal of this mind",
        "for bob: You track research.",
        "the writer knows: True",
        "compared='by words'",
    ],
    "04_cognitive_memory": [
        "plain, never used                  4.8 hours        9.5 days",
        "daily: a plain fact used every  7 days is still there after a year",
        "0.250  Rosalind is moving to Porto",
        "after four weeks 4 traces are gone",
        "Deploys run with Docker Compose.  (uses)",
        "Our daughter was born, wonderful, I love her!  (flashbulb)",
        "schemas: 1, drawn from 5 traces, tied to 5 instances by 0.6",
        "rehydrated letter by letter: True",
        "due Sun 09:00 EDT = 13:00 UTC",
        "12:59 UTC  nothing is due\n13:00 UTC  - [time_based] Call the harbour master\n13:01 UTC  nothing is due",
        "Mira: It was my own brother: at midnight I saw Tom set the inn on fire.",
        "as it was: the witness is in the background",
        "Bo, Rosa, Oslo           Bo with Rosa",
    ],
    "05_any_agent": [
        "Captured(turns=1, known=1",
        "about anna: Lives in Lisbon",
        "because he said: ['I joined Stripe last month.']",
        "[('Joined Stripe last month', 'superseded'), ('Works at Shopify', 'current')]",
        "anna: ['Works at the harbour office']",
        "jake: ['Works at Shopify']",
        "offered: recall, context, why, remember,",
        '"content": "Works at Shopify"',
        "error: True",
        "read only: recall, context, why, mind_recall, memory_search",
        "I found: I like green tea\nI found: I like green tea",
        "asked with 5 items",
        "TSMC, as before.",
        "'content': 'Watch TSMC capacity'",
        "'a' is no goal of this mind",
        "fact | None | Moved to Lisbon",
        "turn | tuesday | Not\n",
    ],
    "06_retain": [
        "before anything is known: {'You write code.'}",
        "- Storage is DuckDB: one file needs no server. [coding-agent-retain]",
        "prompts that begin otherwise: 0",
        "tuesday    coding-agent-transcript   4 turns",
        "[user]\nReleases are tagged on Thursdays by Maria.\n[/user]",
        "Memory rm_... was updated.",
        "feature has the same bank: True and the decision: True",
        "elsewhere/shop has the same bank: False and the decision: False",
        "with DuckDB in it: True",
        "tags: {'project:shop'}",
        "moved: True moved again: 0",
    ],
}
NO_NETWORK = """
import socket

_connect = socket.socket.connect


def _loopback_only(self, address):
    if self.family != getattr(socket, "AF_UNIX", None) and address[0] not in ("127.0.0.1", "::1", "localhost"):
        raise OSError(f"no network here: {address}")
    return _connect(self, address)


socket.socket.connect = _loopback_only
"""


class ForkedKernel(LocalProvisioner):
    """A kernel with all that notebooks import: most of what a short one costs."""

    async def launch_kernel(self, cmd: list[str], **options: Any) -> Any:
        given = {name: options[name] for name in ("cwd", "env")}
        libraries = ("ipykernel.kernelapp", "litellm")
        self.process = forkserver.popen(cmd, imports=libraries, stdin=-1, start_new_session=True, **given)
        self.pid, self.cwd = self.process.pid, given["cwd"]
        self.pgid = os.getpgid(self.pid)
        return self.connection_info


class ForkedKernels(AsyncKernelManager):
    async def _async_pre_start_kernel(self, **options: Any) -> Any:
        self.kernel_id = str(uuid4())
        self.provisioner = ForkedKernel(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
        return await super()._async_pre_start_kernel(**options)


def read(name: str) -> Any:
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def test_every_notebook_is_known_here():
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == sorted(PICTURES) == sorted(SAYS)


def outputs_of(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def printed(outputs: list[Any]) -> str:
    return "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")


def pictures(outputs: list[Any]) -> int:
    return sum("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("name", [name for name in PICTURES if name not in KEPT_WITH_OUTPUTS])
def test_a_notebook_is_kept_without_outputs(name: str):
    cells = [cell for cell in read(name).cells if cell.cell_type == "code"]
    assert [cell for cell in cells if cell.outputs or cell.execution_count is not None] == []


@pytest.mark.parametrize("name", PICTURES)
def test_a_notebook_runs_and_shows_what_it_promises(name: str, tmp_path: Path):
    notebook = read(name)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(NO_NETWORK))
    with TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=1200,
            startup_timeout=600,
            kernel_name="python3",
            kernel_manager_class=ForkedKernels,
            resources={"metadata": {"path": str(tmp_path)}},
            config=Config(KernelManager={"transport": "ipc", "connection_file": f"{folder}/kernel.json"}),
        ).execute()
    outputs = outputs_of(notebook)
    said = printed(outputs)
    assert pictures(outputs) == PICTURES[name]
    assert [text for text in SAYS[name] if text not in said] == []
    if name in KEPT_WITH_OUTPUTS:
        kept = outputs_of(read(name))
        assert (printed(kept), pictures(kept)) == (said, PICTURES[name]), "run it anew, and save it with its outputs"
