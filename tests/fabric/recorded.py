"""Spans recorded by the real SDK: a provider that is set once per process and records only inside `recording`."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace import TracerProvider as Provider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import Sampler


class Switched(trace.TracerProvider):
    """The process's provider: the one that a test switched on, or one that does nothing."""

    def __init__(self) -> None:
        self.now: trace.TracerProvider = trace.NoOpTracerProvider()

    def get_tracer(self, *names: Any, **options: Any) -> trace.Tracer:
        return self.now.get_tracer(*names, **options)


SWITCH = Switched()


class Spans:
    """What was recorded."""

    def __init__(self, exporter: InMemorySpanExporter, provider: Provider) -> None:
        self._exporter = exporter
        self.tracer = provider.get_tracer("a user's own")

    @property
    def all(self) -> list[ReadableSpan]:
        """The spans that ended, in the order in which they began."""
        return sorted(self._exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        (span,) = self.named(name)
        return span

    def path(self, span: ReadableSpan) -> list[str]:
        """Return the names from the root to the span."""
        by_id = {ids(one)[1]: one for one in self.all}
        names = [span.name]
        while span.parent is not None:
            span = by_id[f"{span.parent.span_id:016x}"]
            names.insert(0, span.name)
        return names

    def tree(self, *, store: bool = False) -> list[str]:
        """Return each span's name, indented below its parent's, without those of the store."""
        return [
            "  " * (len(self.path(span)) - 1) + span.name
            for span in self._ordered()
            if store or span.name != "transaction"
        ]

    def _ordered(self) -> list[ReadableSpan]:
        below: dict[str, list[ReadableSpan]] = {}
        for span in self.all:
            below.setdefault(f"{span.parent.span_id:016x}" if span.parent else "", []).append(span)

        def walk(parent: str) -> Iterator[ReadableSpan]:
            for span in below.get(parent, []):
                yield span
                yield from walk(ids(span)[1])

        return list(walk(""))


def said(spans: Spans) -> str:
    """Return all that the spans say, in one text."""
    texts: list[object] = []
    for span in spans.all:
        texts += [span.name, span.status.description, attributes(span)]
        texts += [(event.name, dict(event.attributes or {})) for event in span.events]
    return " ".join(map(str, texts))


def ids(span: ReadableSpan) -> tuple[str, str]:
    """Return the ids of its trace and its own, as logs carry them."""
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def install() -> None:
    """Make the switched provider that of this process; it does nothing outside of `recording`."""
    if trace.get_tracer_provider() is not SWITCH:
        trace.set_tracer_provider(SWITCH)


@contextmanager
def recording(sampler: Sampler | None = None) -> Generator[Spans]:
    """Record the spans of this process for a while."""
    install()
    assert trace.get_tracer_provider() is SWITCH, "another provider was set in this process before"
    exporter, provider = InMemorySpanExporter(), Provider(sampler=sampler, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    SWITCH.now = provider
    try:
        yield Spans(exporter, provider)
    finally:
        SWITCH.now = trace.NoOpTracerProvider()
        provider.shutdown()
