"""What traces point to, as a check sees it: the ends of their ties, and the tombstones among them."""

from collections.abc import Iterator

from fabric.sessions.record_check import records
from fabric.store.finding import Finding, Scan, several

from .tables import ALL_TABLES


def trace_findings(held: Scan) -> Iterator[Finding]:
    """Say how many traces are live or deleted, and which ties lead to a trace that the file has not."""
    live = dead = 0
    lost: list[str] = []
    for tables in ALL_TABLES.values():
        traces = list(records(held, tables.traces))
        ids = {(owner, trace.id) for owner, trace in traces}
        dead += sum(trace.deleted for _, trace in traces)
        live += sum(not trace.deleted for _, trace in traces)
        for owner, edge in records(held, tables.edges):
            if not {(owner, edge.source), (owner, edge.target)} <= ids:
                lost.append(edge.id)
    if lost:
        found = f"{several(len(lost), 'tie')} to a trace that is not there, such as {lost[0]}"
        yield Finding(
            "traces", "warning", found, "they are never followed; memory_reflect makes the ties that count anew"
        )
    elif live or dead:
        yield Finding("traces", "ok", f"{live} live, {dead} deleted that are kept for provenance; their ties agree")
