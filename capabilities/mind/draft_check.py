"""The drafts of minds as a check sees them: what runs wrote ahead that never came into the store."""

from collections.abc import Iterator

from fabric.scope import SCOPE_KINDS
from fabric.store.finding import Finding, Scan, several

from .store import mind_collections


def draft_findings(held: Scan) -> Iterator[Finding]:
    """Say what runs that ended without their flush left behind, of all minds in the file."""
    tables = [mind_collections(kind).drafts.key for kind in SCOPE_KINDS]
    drafts = [row for table in tables for _, row in held.rows(table)]
    refused = [row for row in drafts if row.get("failed")]
    left = [row for row in drafts if not row.get("failed")]
    if left:
        runs, minds = {str(row.get("run")) for row in left}, sorted({str(row.get("namespace")) for row in left})
        found = f"{several(len(left), 'write')} of {several(len(runs), 'run')} that did not end, in {', '.join(minds)}"
        yield Finding("drafts", "warning", found, "nothing is lost: the next run with that mind takes them in")
    if refused:
        found = f"{several(len(refused), 'write')} could not be taken in, such as: {refused[0]['failed']}"
        yield Finding(
            "drafts",
            "warning",
            found,
            "let the agent write them again; `thought-fabric why` and `thought-fabric forget` take their ids",
        )
    if not drafts and any(table in held.tables for table in tables):
        yield Finding("drafts", "ok", "no run left anything behind")
