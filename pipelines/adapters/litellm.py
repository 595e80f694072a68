"""A litellm callback that captures what is said through litellm, behind the call and once."""

import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import count
from typing import Any

import litellm
from litellm.integrations.custom_logger import CustomLogger

from fabric.embedding.choose import EmbedderChoice
from fabric.generation.generator import ModelChoice
from fabric.sessions.lease import File, Lease, Leasing
from fabric.store.worker import Worker
from fabric.telemetry.logger import logger
from fabric.telling import error_text
from fabric.threads.portal import INSIDE, elsewhere

from ..facade import Memory
from ..system import memory_system
from .litellm_reports import Begun, wait_for_loop, wait_for_threads

INTERRUPTED = {"type": "interrupted"}
"""The part of an answer that ended before it was finished; its item shows it among its ``parts``."""
_CHATS = ("completion", "acompletion")
_ROLES = ("user", "assistant")
PATIENCE = 10.0
"""How many seconds closing waits for litellm to report what was called before."""
_NOBODY = (
    'a call is not captured: it names no user; pass metadata={"user": "jake", "session": "monday"} with texts in it'
)
_NUMBERS = count(1)
_KNOWN = 10_000
"""How many calls are known as captured, so that a second report of one is nothing new."""


class MemoryCallback(Leasing, CustomLogger):
    """Captures chats for the user that the call's metadata names; add it to ``litellm.callbacks`` and close it.

    ``metadata={"user": "jake", "session": "monday"}`` (or ``user_id``, ``session_id``) says whose it is and where it
    belongs, in texts; a call that names no user is not captured, and the first one is logged. A history that is sent
    again adds only what is new. Nothing is awaited by the call and nothing is raised into it: an error is logged.
    litellm reports no stream that is left, cancelled or broken: pass streams through ``stream``, and what they said is
    captured, too, marked by `INTERRUPTED`. Closing waits for what litellm reports behind calls; an async stream that
    is not passed through ``stream`` needs `aclose` for that.
    Other arguments are those of `Memory`.
    """

    def __init__(
        self,
        file: File = ":memory:",
        *,
        model: ModelChoice | None = None,
        embedder: EmbedderChoice = "default",
    ) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]  its further arguments have no types
        self.number = next(_NUMBERS)  # litellm takes two callbacks for one that no public number or text tells apart
        self._system = memory_system(model=model, episodic=True, semantic=True, embedder=embedder)
        self._lease = Lease(file)
        self.fabric = self._lease.fabric
        self._worker = ThreadPoolExecutor(1, "litellm-capture")
        self._memories: dict[str, Memory] = {}
        self._known: dict[str, None] = {}
        self._begun = Begun()
        self._said: set[str] = set()
        self._is_closed = False
        self._lock = threading.Lock()

    def log_pre_api_call(self, model: Any, messages: Any, kwargs: Any) -> None:
        """Note a call that waits for its answer, so that closing waits for its report; litellm calls it."""
        if kwargs.get("call_type") == "completion":  # an async call is captured before it returns
            self._begun.add(_id(kwargs))

    def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Wait no longer for a call that failed; litellm calls it."""
        self._begun.discard(_id(kwargs))

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Capture a finished call; litellm calls it."""
        self._submit(kwargs, lambda: _answer(response_obj))
        self._begun.discard(_id(kwargs))

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Do what `log_success_event` does."""
        self.log_success_event(kwargs, response_obj, start_time, end_time)

    async def async_post_call_success_deployment_hook(self, request_data: Any, response: Any, call_type: Any) -> None:
        """Capture an async call before it returns: litellm's report of it may come after the loop's end."""
        if getattr(call_type, "value", "") == "acompletion" and isinstance(response, litellm.ModelResponse):
            given = {  # what was passed without its name stands in litellm's own record alone
                **getattr(request_data.get("litellm_logging_obj"), "model_call_details", {}),
                **request_data,
                "call_type": "acompletion",
                "litellm_params": {"metadata": request_data.get("metadata")},
            }
            self._submit(given, lambda: _answer(response))

    def stream(self, chunks: Any) -> Any:
        """Return a stream of litellm, to be iterated as before; what it said is captured however it ends."""
        return self._athrough(chunks) if hasattr(chunks, "__anext__") and _is_async(chunks) else self._through(chunks)

    def wait(self, timeout: float | None = None) -> None:
        """Wait until what was called is captured and read, or so many seconds."""
        self._are_reported(PATIENCE if timeout is None else timeout)
        _begun(self._worker, lambda: None).result(timeout)
        self.fabric.drain(timeout)

    def close(self, patience: float = PATIENCE) -> None:
        """Capture what was called, waiting so many seconds for litellm, and close the file if it was opened here."""
        if not self._is_closed:
            self._end(self._are_reported(patience))

    async def aclose(self, patience: float = PATIENCE) -> None:
        """Do what `close` does, and wait also for what litellm reports on this event loop."""
        if not self._is_closed:
            is_reported = await wait_for_loop(patience)
            await elsewhere(lambda: self._end(self._are_reported(patience) and is_reported))

    def _are_reported(self, patience: float) -> bool:
        end = time.monotonic() + patience
        return wait_for_threads(patience) or self._begun.wait(max(0.0, end - time.monotonic()))

    def _end(self, is_reported: bool) -> None:
        if not is_reported:
            self._warn("closed while litellm had still to report calls: they are not captured")
        with self._lock:
            self._is_closed = True
        self._worker.shutdown()
        self._lease.close()

    def _through(self, chunks: Any) -> Iterator[Any]:
        read: list[Any] = []
        is_whole = False
        try:
            for chunk in chunks:
                read.append(chunk)
                yield chunk
            is_whole = True
        finally:
            if not is_whole or any(map(_says, read)):  # an empty answer is no answer, as litellm has it
                self._submit(_details(chunks), lambda: _streamed(read, is_whole=is_whole))

    async def _athrough(self, chunks: Any) -> AsyncIterator[Any]:
        read: list[Any] = []
        is_whole = False
        try:
            async for chunk in chunks:
                read.append(chunk)
                yield chunk
            is_whole = True
        finally:
            if not is_whole or any(map(_says, read)):  # an empty answer is no answer, as litellm has it
                self._submit(_details(chunks), lambda: _streamed(read, is_whole=is_whole))

    def _submit(self, kwargs: Mapping[str, Any], answer: Callable[[], Mapping[str, Any]]) -> None:
        call = _id(kwargs)
        if kwargs.get("call_type") not in _CHATS or (call and call in self._known):
            return
        user, session = _whose(kwargs)
        if not user:
            if not INSIDE.get():  # a model call of a memory names nobody
                self._warn(_NOBODY)
            return
        messages = [_plain(message) for message in kwargs.get("messages") or () if message.get("role") in _ROLES]
        with self._lock:
            if self._is_closed:
                self._warn("a call is not captured: it was made, or reported by litellm, after the callback was closed")
                return
            done = _begun(self._worker, lambda: self._capture(call, (user, session), messages, answer))
        done.add_done_callback(_report)

    def _capture(
        self,
        call: str,
        whose: tuple[str, str],
        messages: Sequence[dict[str, Any]],
        answer: Callable[[], Mapping[str, Any]],
    ) -> None:
        if call and call in self._known:
            return
        user, session = whose
        memory = self._memories.get(user)
        if memory is None:
            memory = self._memories[user] = Memory(self.fabric, user=user, system=self._system)
        memory.capture([*messages, answer()], session=session)
        self._known[call] = None
        if len(self._known) > _KNOWN:
            del self._known[next(iter(self._known))]

    def _warn(self, what: str) -> None:
        if what not in self._said:
            self._said.add(what)
            logger(block="litellm-capture").warning(what)


def _begun(worker: ThreadPoolExecutor, work: Callable[[], None]) -> "Future[None]":
    """Begin work on the worker, or do it now where the interpreter ends, which has waited for the worker."""
    try:
        return worker.submit(work)
    except RuntimeError:
        last = Worker("litellm-capture")
        done = last.submit(work)
        last.shutdown()
        return done


def _report(done: "Future[None]") -> None:
    error = done.exception()
    if error is not None:
        logger(block="litellm-capture").error("not captured", error=error_text(error))


def _is_async(chunks: Any) -> bool:
    """Return whether a stream was made by an async call: litellm's streams can be iterated both ways."""
    return bool(_details(chunks).get("call_type", "acompletion") == "acompletion")


def _details(chunks: Any) -> Mapping[str, Any]:
    return getattr(getattr(chunks, "logging_obj", None), "model_call_details", None) or {}


def _id(kwargs: Mapping[str, Any]) -> str:
    return str(kwargs.get("litellm_call_id") or "")


def _whose(kwargs: Mapping[str, Any]) -> tuple[str, str]:
    """Return the user and the session that a call names, the user blank when it names none or not in a text."""
    params: Mapping[str, Any] = kwargs.get("litellm_params") or {}
    given: Mapping[str, Any] = params.get("metadata") or {}
    user = given.get("user") or given.get("user_id") or kwargs.get("user") or ""
    session = given.get("session") or given.get("session_id") or ""
    return user.strip() and user if isinstance(user, str) else "", str(session)


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


def _interrupted(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [*([{"type": "text", "text": text}] if text else []), INTERRUPTED]}


def _streamed(chunks: Sequence[Any], *, is_whole: bool) -> dict[str, Any]:
    build = litellm.stream_chunk_builder  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  no types
    whole = build(list(chunks)) if is_whole and chunks else None
    return _interrupted("".join(map(_piece, chunks))) if whole is None else _answer(whole)


def _says(chunk: Any) -> bool:
    choices = getattr(chunk, "choices", None) or ()
    return bool(choices and (choices[0].delta.content or getattr(choices[0].delta, "tool_calls", None)))


def _piece(chunk: Any) -> str:
    choices = getattr(chunk, "choices", None) or ()
    return str(choices[0].delta.content or "") if choices else ""
