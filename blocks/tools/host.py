"""The host: memory tools for an agent loop that is not made of blocks. A call never raises for a model's mistake."""

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel

from fabric.block import Block
from fabric.errors import RefusedError
from fabric.logger import logger
from fabric.messages import as_text
from fabric.run import Fabric
from fabric.toolbox import Toolbox, failure, read_arguments

Envelope = dict[str, Any]
"""``{"success": True, "output": ...}`` or ``{"success": False, "error": ..., "do": ...}``."""
_READ_SCHEMA = "Call the tool again with arguments that fit its schema."
_GO_ON = "Try other arguments, or go on without this tool."


class ToolHost:
    """Tools with a session to run in; made by `MemoryTools.host`, used as a context manager, or closed by `close`."""

    def __init__(
        self,
        tools: Sequence[Block[Any, Any]],
        file: str | PathLike[str] | Fabric,
        ids: Mapping[str, str | None],
        session: str,
        *,
        manage_lifecycle: bool | None = None,
    ) -> None:
        self._toolbox = Toolbox(("host", tool) for tool in tools)
        self._blocks = {tool.name: tool for tool in tools}
        opens = not isinstance(file, Fabric)
        self.fabric = file if isinstance(file, Fabric) else Fabric(file)
        self._manages = opens if manage_lifecycle is None else manage_lifecycle
        try:
            self._session = self.fabric.session(session, **ids)
        except BaseException:
            if opens:
                self.fabric.close()
            raise

    def schemas(self) -> list[Mapping[str, Any]]:
        """Return the OpenAI function schemas of all tools, to put into a request."""
        return self._toolbox.schemas()

    def call(self, name: str, arguments: str | Mapping[str, Any] | None = None) -> Envelope:
        """Carry out one call as a model made it, and return an envelope; StoreError when the file is closed."""
        asked = self._read(name, arguments)
        if isinstance(asked, dict):
            return asked
        try:
            return _done(self._session.run(*asked).output)
        except Exception as error:  # noqa: BLE001  a tool call is supervised: the model is told, the loop goes on
            return _failed(name, error)

    async def acall(self, name: str, arguments: str | Mapping[str, Any] | None = None) -> Envelope:
        """Do what `call` does, on the caller's own event loop."""
        asked = self._read(name, arguments)
        if isinstance(asked, dict):
            return asked
        try:
            return _done((await self._session.arun(*asked)).output)
        except Exception as error:  # noqa: BLE001  as in call
            return _failed(name, error)

    def close(self) -> None:
        """Close the file, if this host manages it; closing twice is harmless."""
        if self._manages:
            self.fabric.close()

    async def aclose(self) -> None:
        """Do what `close` does, on the caller's own event loop."""
        if self._manages:
            await self.fabric.aclose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def _read(
        self, name: str, arguments: str | Mapping[str, Any] | None
    ) -> tuple[Block[Any, Any], BaseModel] | Envelope:
        """Return the block and its checked input; or the envelope that says what does not fit."""
        self.fabric.check_open()
        known = self._toolbox.tools.get(name)
        if known is None:
            return _refused(f"there is no tool {name!r}", f"Use one of: {', '.join(self._blocks)}.")
        try:
            return self._blocks[name], read_arguments(known, as_text(arguments))
        except ValueError as error:
            return _refused(str(error), _READ_SCHEMA)


def _done(output: BaseModel) -> Envelope:
    return {"success": True, "output": output.model_dump(mode="json")}


def _refused(reason: str, advice: str) -> Envelope:
    return {"success": False, **json.loads(failure(reason, advice))}


def _failed(name: str, error: Exception) -> Envelope:
    if isinstance(error, RefusedError):
        return _refused(error.reason, error.do)
    logger().warning("tool failed", tool=name, error=f"{type(error).__name__}: {error}")
    return _refused(f"{type(error).__name__}: {error}", _GO_ON)
