"""A litellm callback that captures what is said through litellm, behind the call and once."""

from collections.abc import AsyncIterator, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from litellm.integrations.custom_logger import CustomLogger

from fabric.embedding.choose import EmbedderChoice
from fabric.generator import ModelChoice
from fabric.lease import File, Lease
from fabric.logger import logger

from ..facade import Memory
from ..system import memory_system

INTERRUPTED = {"type": "interrupted"}
"""The part of an answer that ended before it was finished; its item shows it among its ``parts``."""
_CHATS = ("completion", "acompletion")
_ROLES = ("user", "assistant")
_KNOWN = 10_000
"""How many calls are known as captured, so that a second report of one is nothing new."""


class MemoryCallback(CustomLogger):
    """Captures chats for the user that the call's metadata names; add it to ``litellm.callbacks`` and close it.

    ``metadata={"user": "jake", "session": "monday"}`` (or ``user_id``, ``session_id``) says whose it is and where it
    belongs; a call that names no user is not captured. A history that is sent again adds only what is new. Nothing
    is awaited by the call and nothing is raised into it: an error is logged. litellm reports no stream that is left,
    cancelled or broken: pass streams through ``stream``, and what they said is captured, too, marked by `INTERRUPTED`.
    Other arguments are those of `Memory`.
    """

    def __init__(
        self,
        file: File = ":memory:",
        *,
        model: ModelChoice | None = None,
        embedder: EmbedderChoice = "default",
    ) -> None:
        super().__init__()
        self._system = memory_system(model=model, episodic=True, semantic=True, embedder=embedder)
        self._lease = Lease(file)
        self.fabric = self._lease.fabric
        self._worker = ThreadPoolExecutor(1, "litellm-capture")
        self._memories: dict[str, Memory] = {}
        self._known: dict[str, None] = {}
        self._is_closed = False

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:  # noqa: ARG002
        """Capture a finished call; litellm calls it."""
        self._submit(kwargs, _answer(response_obj))

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Do what `log_success_event` does."""
        self.log_success_event(kwargs, response_obj, start_time, end_time)

    def stream(self, chunks: Any) -> Any:
        """Return a stream of litellm, to be iterated as before; what it said is captured however it ends."""
        return self._athrough(chunks) if hasattr(chunks, "__anext__") and _is_async(chunks) else self._through(chunks)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until what litellm has reported is captured and read, or so many seconds."""
        self._worker.submit(lambda: None).result(timeout)
        self.fabric.drain(timeout)

    def close(self) -> None:
        """Capture what was reported, and close the file if this callback opened it."""
        self._is_closed = True
        self._worker.shutdown()
        self._lease.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _through(self, chunks: Any) -> Iterator[Any]:
        said: list[str] = []
        is_whole = False
        try:
            for chunk in chunks:
                said.append(_piece(chunk))
                yield chunk
            is_whole = True  # litellm reports it
        finally:
            if not is_whole:
                self._submit(_details(chunks), _interrupted("".join(said)))

    async def _athrough(self, chunks: Any) -> AsyncIterator[Any]:
        said: list[str] = []
        is_whole = False
        try:
            async for chunk in chunks:
                said.append(_piece(chunk))
                yield chunk
            is_whole = True
        finally:
            if not is_whole:
                self._submit(_details(chunks), _interrupted("".join(said)))

    def _submit(self, kwargs: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        call = str(kwargs.get("litellm_call_id") or "")
        user, session = _whose(kwargs)
        if self._is_closed or not user or kwargs.get("call_type") not in _CHATS:
            return
        messages = [_plain(one) for one in kwargs.get("messages") or () if one.get("role") in _ROLES]
        done = self._worker.submit(self._capture, call, user, session, [*messages, dict(answer)])
        done.add_done_callback(_report)

    def _capture(self, call: str, user: str, session: str, messages: list[dict[str, Any]]) -> None:
        if call and call in self._known:
            return
        memory = self._memories.get(user)
        if memory is None:
            memory = self._memories[user] = Memory(self.fabric, user=user, system=self._system)
        memory.capture(messages, session=session)
        self._known[call] = None
        if len(self._known) > _KNOWN:
            del self._known[next(iter(self._known))]


def _report(done: "Future[None]") -> None:
    error = done.exception()
    if error is not None:
        logger(block="litellm-capture").error("not captured", error=f"{type(error).__name__}: {error}")


def _is_async(chunks: Any) -> bool:
    """Return whether a stream was made by an async call: litellm's streams can be iterated both ways."""
    return bool(_details(chunks).get("call_type", "acompletion") == "acompletion")


def _details(chunks: Any) -> Mapping[str, Any]:
    return getattr(getattr(chunks, "logging_obj", None), "model_call_details", None) or {}


def _whose(kwargs: Mapping[str, Any]) -> tuple[str, str]:
    given = (kwargs.get("litellm_params") or {}).get("metadata") or {}
    user = given.get("user") or given.get("user_id") or kwargs.get("user") or ""
    return str(user), str(given.get("session") or given.get("session_id") or "")


def _plain(message: Any) -> dict[str, Any]:
    """Return a message as a mapping all through: an answer of litellm is often sent back as the object it was."""
    plain: dict[str, Any] = message.model_dump() if hasattr(message, "model_dump") else dict(message)
    return plain


def _answer(response: Any) -> dict[str, Any]:
    if not response.choices:  # a provider that answers with nothing; litellm takes it for a success
        return _interrupted("")
    message = response.choices[0].message
    calls = [
        {"id": call.id, "function": {"name": call.function.name, "arguments": call.function.arguments}}
        for call in getattr(message, "tool_calls", None) or ()
    ]
    said = {"role": "assistant", "content": message.content or ""}
    return {**said, "tool_calls": calls} if calls else said


def _interrupted(said: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [*([{"type": "text", "text": said}] if said else []), INTERRUPTED]}


def _piece(chunk: Any) -> str:
    choices = getattr(chunk, "choices", None) or ()
    return str(choices[0].delta.content or "") if choices else ""
