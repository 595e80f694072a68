"""Retain, wired: what `retain_memory` returns, with the bank of a directory in the file or on a Hindsight server."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from blocks.retain.answering import local_backend
from blocks.retain.auto import auto_retain_block, before_compaction_block, flush_block, sleep_block
from blocks.retain.first_turn import first_turn_lines
from blocks.retain.keeping import OFF
from blocks.retain.move import clear_block, move_block
from blocks.retain.shapes import Answer, Recall, Reflect, Retain
from blocks.retain.tools import RetainTools
from capabilities.retain import Backend, Bank, HindsightConfig, LocalConfig, Scoping
from capabilities.retain.banks import local_bank, server_bank
from capabilities.retain.config import AutoConfig, BackendName
from capabilities.retain.hindsight import HINDSIGHT_RESOURCES, HindsightBackend
from capabilities.retain.local import LOCAL_RESOURCES, Slept
from capabilities.retain.record import Edit, Flushed, Moved
from fabric.embedding.choose import EmbedderChoice
from fabric.errors import ConfigurationError
from fabric.flow.block import Block
from fabric.flow.capability import Capability, ContextLines, define_capability
from fabric.generation.generator import ModelChoice
from fabric.options import check_model, names_options
from fabric.scope import ScopeIds
from fabric.sessions.lease import File
from fabric.sessions.toolhost import ToolHost

RESOURCES = (*LOCAL_RESOURCES, *HINDSIGHT_RESOURCES)
"""What both backends keep in a file; whichever is in use."""


class RetainSystem:
    """What `retain_memory` returns: the capability with the tools, and blocks to wire into a pipeline.

    ``backend`` may be set between runs; what was kept by one backend stays there. The capability has the tools of the
    backend that is set when it is read.
    """

    def __init__(
        self,
        backend: BackendName,
        cwd: str | Path,
        local: LocalConfig,
        hindsight: HindsightConfig,
        model: ModelChoice | None,
        embedder: EmbedderChoice,
        name: str,
    ) -> None:
        self.local, self.hindsight, self.name, self.cwd = local, hindsight, name, Path(cwd).expanduser().absolute()
        self._model, self._embedder = model, embedder
        self._local_bank = local_bank(local.scoping, cwd, local.bank_id)
        self._server_bank = server_bank(hindsight.scoping, cwd, hindsight.bank_id, hindsight.bank_prefix)
        self._backends: dict[BackendName, Backend] = {}
        self.backend = backend

    @property
    def backend(self) -> BackendName:
        """Where memories are kept: "local", "hindsight", or "off"."""
        return self._backend

    @backend.setter
    def backend(self, backend: BackendName) -> None:
        self._backend: BackendName = _known(backend)

    @property
    def bank(self) -> Bank:
        """The bank of the directory, with the backend in use."""
        return self._server_bank if self.backend == "hindsight" else self._local_bank

    def current(self) -> Backend | None:
        """Return the backend in use, None with "off"."""
        return None if self.backend == "off" else self.of(self.backend)

    def of(self, backend: BackendName) -> Backend:
        """Return a backend by its name, whether or not it is in use; ConfigurationError for "off"."""
        if _known(backend) not in self._backends:
            self._backends[backend] = self._made(backend)
        return self._backends[backend]

    def _made(self, backend: BackendName) -> Backend:
        if backend == "local":
            cwd = str(self.cwd)
            return local_backend(self.local, self._local_bank, self._embedder, model=self._model, cwd=cwd)
        if backend == "hindsight":
            return HindsightBackend(self.hindsight, self._server_bank)
        raise ConfigurationError(OFF)

    @property
    def settings(self) -> AutoConfig:
        """The options of the backend in use."""
        return self.hindsight if self.backend == "hindsight" else self.local

    @property
    def capability(self) -> Capability[Any]:
        """The tools of the backend in use, and what a session's first turn recalls; declared with ``uses=[...]``."""
        return self._capabilities[self.backend]

    @cached_property
    def _capabilities(self) -> Mapping[str, Capability[Any]]:
        return {
            backend: define_capability(
                "retain" if self.name == "retain" else f"retain_{self.name.replace('-', '_')}",
                resources=RESOURCES,
                context=[self.recalled] if backend != "off" else (),
                tools=self._tools.of(backend),
            )
            for backend in get_args(BackendName)
        }

    @cached_property
    def recalled(self) -> ContextLines:
        """The lines for a generator's ``context=[...]``; `capability` brings them."""
        return first_turn_lines(self.current, lambda: self.settings, RESOURCES)

    @property
    def tools(self) -> Sequence[Block[Any, Any]]:
        """The tools that there are with the backend in use."""
        return self._tools.of(self.backend)

    @cached_property
    def _tools(self) -> RetainTools:
        return RetainTools(self.current, RESOURCES)

    @property
    def retain(self) -> Block[Retain, Answer]:
        """The tool ``retain`` as a block: ``{"items": [{"content": ..., "context": ...}]}`` in."""
        return self._tools.retain

    @property
    def recall(self) -> Block[Recall, Answer]:
        """The tool ``recall`` as a block: ``{"query": ...}`` in."""
        return self._tools.recall

    @property
    def reflect(self) -> Block[Reflect, Answer]:
        """The tool ``reflect`` as a block: ``{"query": ..., "context": ...}`` in."""
        return self._tools.reflect

    @property
    def memory_edit(self) -> Block[Edit, Answer]:
        """The tool ``memory_edit`` as a block; only a bank in the file can be edited."""
        return self._tools.memory_edit

    @cached_property
    def auto_retain(self) -> Block[Any, Any]:
        """For ``.work(...)`` behind an agent: every few turns the conversation is kept, and what is queued is sent."""
        return auto_retain_block(self.name, self.current, lambda: self.settings, RESOURCES)

    @cached_property
    def before_compaction(self) -> Block[Any, str]:
        """What to run before a session's history is cut: keeps it, and gives what the cut one begins with."""
        return before_compaction_block(self.name, self.current, lambda: self.settings, RESOURCES)

    @cached_property
    def flush(self) -> Block[Any, Flushed]:
        """Sends what is queued, and draws the facts that were put off; what became of it, out."""
        return flush_block(self.name, self.current, RESOURCES)

    @cached_property
    def sleep(self) -> Block[Any, Slept]:
        """For ``.work(...)`` or a timer: joins what in the file is older than twelve hours; a server does its own."""
        return sleep_block(self.name, self.current, RESOURCES)

    @cached_property
    def clear(self) -> Block[Any, str]:
        """Removes what of the bank is in the file; a sentence that says what was removed, and what was not, out."""
        return clear_block(self.name, self.current, RESOURCES)

    def move_to(self, backend: BackendName) -> Block[Any, Moved]:
        """Return the block that copies the bank of the other backend to this one; a second time, what is new."""
        _known(backend)
        other: BackendName = "local" if backend == "hindsight" else "hindsight"
        return move_block(self.name, lambda: self.of(other), lambda: self.of(backend), RESOURCES)

    def host(
        self,
        file: File = ":memory:",
        *,
        session: str = "default",
        user: str | None = None,
        org: str | None = None,
        manage_lifecycle: bool | None = None,
    ) -> ToolHost:
        """Return the tools for an agent loop of one's own; which bank they work on comes from this alone.

        ``file`` is a path or an open `Fabric`. ``manage_lifecycle`` says whether closing the host closes the file; by
        default it closes what it has opened. ConfigurationError with "off", which has no tools.
        """
        if self.backend == "off":
            raise ConfigurationError(OFF)
        ids = ScopeIds(session=session, user=user, org=org)
        return ToolHost(file, ids, uses=[self.capability], name=self.name, owns=manage_lifecycle)


@names_options()
def retain_memory(
    *,
    backend: BackendName = "off",
    scoping: Scoping | None = None,
    cwd: str | Path = ".",
    bank_id: str = "",
    local: Mapping[str, Any] | None = None,
    hindsight: Mapping[str, Any] | None = None,
    model: ModelChoice | None = None,
    embedder: EmbedderChoice = "default",
    name: str = "retain",
) -> RetainSystem:
    """Build the memory of a coding agent: banks of facts that it keeps and recalls, by the directory it works in.

    ``backend`` says where banks are: "local" in the file, "hindsight" on a server, "off" nowhere, so that there are no
    tools. ``scoping``: "global" for one bank, "per-project" for one each, "per-project-tagged" for own memories that
    are found beside shared ones; by default per project in the file, and tagged on a server. ``cwd`` is the directory
    of the project; a worktree's is that of the checkout it was made from. ``bank_id`` names the bank instead.
    ``local`` and ``hindsight`` are options of `LocalConfig` and `HindsightConfig`; the environment's HINDSIGHT_
    variables come before those. ``model`` draws facts and writes reflections in a bank of the file, rules do without.
    ``embedder`` is that of `memory_system`. ``name`` is the prefix of the block names. ConfigurationError for what
    cannot work.

    >>> retain_memory(backend="local").auto_retain.name
    'retain/auto-retain'
    """
    named = isinstance(name, str) and name.replace("-", "_").isidentifier()  # pyright: ignore[reportUnnecessaryIsInstance]
    if not named:
        raise ConfigurationError(f"name is {name!r}; expected letters, digits, - and _: the prefix of the block names")
    if model is not None:
        check_model("model", model, without="None for rules")
    if not isinstance(cwd, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(f"cwd is {cwd!r}; give the directory of the project, as a text or a Path")
    for option, given in (("local", local), ("hindsight", hindsight)):
        if given is not None and not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(f"{option} is {given!r}; expected a dictionary of options by name")
    shared: dict[str, Any] = {key: given for key, given in (("scoping", scoping), ("bank_id", bank_id)) if given}
    return RetainSystem(
        backend,
        cwd,
        LocalConfig(**{**shared, **(local or {})}),
        HindsightConfig.from_environment({**shared, **(hindsight or {})}),
        model,
        embedder,
        name,
    )


def _known(backend: BackendName) -> BackendName:
    names: tuple[BackendName, ...] = get_args(BackendName)
    if backend not in names:
        raise ConfigurationError(f"backend is {backend!r}; expected one of {', '.join(names)}")
    return backend
