"""Spans of OpenTelemetry, for whoever configured a tracer provider; the only file that knows the library.

The library is imported by the first run after something else imported it, or when the environment names a provider:
nobody else can be tracing. A span never holds what was said, nor an error's message, which may quote it; only its type.
"""

import asyncio
import os
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

from ..lazy import lazy

if TYPE_CHECKING:
    from opentelemetry import context, trace
    from opentelemetry.context import Context
    from opentelemetry.trace import Span as Recorder
    from opentelemetry.trace import Tracer
    from opentelemetry.trace.propagation import tracecontext

    from .. import redaction
else:
    context = lazy("opentelemetry.context")
    redaction = lazy("..redaction", __package__)
    trace = lazy("opentelemetry.trace")
    tracecontext = lazy("opentelemetry.trace.propagation.tracecontext")

Attributes = Mapping[str, str | bool | int | float | Sequence[str]]
Kind = Literal["internal", "client", "consumer"]
SCOPE = "thought-fabric"
CONVERSATION = "gen_ai.conversation.id"
ERROR = "error.type"
_API = "opentelemetry.trace"
_NAMED = "OTEL_PYTHON_TRACER_PROVIDER"
_PARENT = "traceparent"


class _Traced(NamedTuple):
    """The run or job that this code runs inside of, if its spans are recorded."""

    tracer: "Tracer"
    session: str


_TRACED: ContextVar[_Traced | None] = ContextVar("fabric_traced", default=None)


class Span:
    """One span while it lasts: it is current inside ``with``, and ends there. This one records nothing."""

    recording = False

    def note(self, attributes: Attributes) -> None:
        """Add attributes."""

    def fail(self, error: BaseException) -> None:
        """Say that it ended in an error; the first one counts."""

    def end(self) -> None:
        """End it, where it was not entered."""

    def current(self) -> AbstractContextManager[None]:
        """Make it current for a while, on any thread, without ending it."""
        return nullcontext()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        return


SILENT = Span()


class _Recorded(Span):
    """A span of the library. One that a sampler left out is current, too: all below it are left out with it."""

    def __init__(self, span: "Recorder", traced: _Traced) -> None:
        self.recording = span.is_recording()
        self._span = span
        self._traced = traced if self.recording else None
        self._failed = False
        self._held: AbstractContextManager[None] = nullcontext()

    def note(self, attributes: Attributes) -> None:
        if self._span.is_recording():  # no more once it ended: a cancelled caller does not wait for the store
            self._span.set_attributes(_clean(attributes))

    def fail(self, error: BaseException) -> None:
        if self._failed or not self._span.is_recording():
            return
        self._failed = True
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            self._span.set_attribute("fabric.cancelled", True)
            return

        self._span.set_status(trace.StatusCode.ERROR)
        self._span.set_attribute(ERROR, error_type(error))

    def end(self) -> None:
        self._span.end()

    @contextmanager
    def current(self) -> Generator[None]:

        outer = context.attach(trace.set_span_in_context(self._span))
        around = _TRACED.set(self._traced)
        try:
            yield
        finally:
            _TRACED.reset(around)
            context.detach(outer)

    def __enter__(self) -> Self:
        self._held = self.current()
        self._held.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._held.__exit__(None, None, None)
        if error is not None:
            self.fail(error)
        self.end()


def root(
    name: str, attributes: Attributes, *, session: str, kind: Kind = "internal", parent: str | None = None
) -> Span:
    """Begin the span of a run or a job; SILENT when nobody traces.

    ``parent`` is what `carrier` gave, "" for none, or None for the caller's current span.
    """
    tracer = _tracer()
    if tracer is None:
        return SILENT
    around = None if parent is None else _context_of(parent)
    return _begin(_Traced(tracer, session), name, attributes, kind, around)


def span(name: str, attributes: Attributes, *, kind: Kind = "internal") -> Span:
    """Begin a span inside the current one; SILENT outside of a traced run or job."""
    traced = _TRACED.get()
    return SILENT if traced is None else _begin(traced, name, attributes, kind, None)


def active() -> bool:
    """Return whether this code runs inside of a traced run or job."""
    return _TRACED.get() is not None


def event(name: str, attributes: Attributes) -> None:
    """Add an event to the current span, inside of a traced run or job."""
    if _TRACED.get() is not None:
        trace.get_current_span().add_event(name, _clean(attributes))


def carrier() -> str:
    """Return the current span as a W3C ``traceparent``, so that work done later can have it as parent; "" for none."""
    if _API not in sys.modules:
        return ""

    found: dict[str, str] = {}
    tracecontext.TraceContextTextMapPropagator().inject(found)
    return found.get(_PARENT, "")


def log_ids() -> dict[str, str]:
    """Return ``trace_id`` and ``span_id`` in hex while a span is recorded, ours or the user's; else nothing."""
    if _API not in sys.modules:
        return {}

    span = trace.get_current_span()
    if not span.is_recording():
        return {}
    ids = span.get_span_context()
    return {"trace_id": trace.format_trace_id(ids.trace_id), "span_id": trace.format_span_id(ids.span_id)}


def error_type(error: BaseException) -> str:
    """Return what a span says of an error.

    >>> error_type(KeyError("a secret"))
    'KeyError'
    """
    return type(error).__qualname__


def _begin(traced: _Traced, name: str, attributes: Attributes, kind: Kind, around: "Context | None") -> Span:

    every = {**_clean(attributes), CONVERSATION: traced.session}
    return _Recorded(traced.tracer.start_span(name, around, trace.SpanKind[kind.upper()], every), traced)


def _clean(attributes: Attributes) -> Attributes:
    """Return attributes without secrets: none says what was said, but a server may have named something so."""
    clean: Attributes = redaction.redact_value(attributes)
    return clean


def _tracer() -> "Tracer | None":
    """Return the tracer, or None when no provider is configured: asked anew for each run, as one may be set later."""
    named = _NAMED in os.environ
    if not named and _API not in sys.modules:
        return None
    if named and not _loads():
        return None

    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider):
        return None
    tracer = provider.get_tracer(SCOPE)
    return None if isinstance(tracer, trace.NoOpTracer) else tracer


@cache
def _loads() -> bool:
    """Return whether the provider that the environment names can be had; the library has logged it when not."""
    try:
        trace.get_tracer_provider()
    except (StopIteration, ImportError, AttributeError):
        return False
    return True


def _context_of(parent: str) -> "Context":

    return tracecontext.TraceContextTextMapPropagator().extract({_PARENT: parent}, context.Context())
