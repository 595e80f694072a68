"""A file that was written before there were claims gets them while it is read, and works until then."""

from pathlib import Path

import duckdb

from capabilities.memory.recall.ranked import RELEVANT
from pipelines import Memory


def without_claims(path: Path) -> None:
    """Make a file what it was before facts and episodes had claims."""
    with duckdb.connect(str(path)) as connection:
        for table, column in (("semantic_memory", "attribute"), ("episodic_memory", "slot")):
            connection.execute(
                f"UPDATE {table} SET {column} = NULL, _row = json_merge_patch(_row, "
                """'{"attribute": null, "value": null, "polarity": null, "of": null, "former": null, "slot": null}')"""
            )


def test_old_facts_get_their_claims_on_the_next_recall(tmp_path: Path):
    path = tmp_path / "old.duckdb"
    with Memory(path, user="jake") as memory:
        for text in ("I joined Stripe last month.", "My sister Anna works at Philips."):
            memory.capture(text)
        memory.wait()
    without_claims(path)
    with Memory(path, user="jake") as memory:
        first = memory.recall("where do I work?")[0]
        assert "Stripe" in first.content
        assert first.relevance >= RELEVANT
        kept = [record for record in memory.export() if record["kind"] == "fact"]
        assert {record["slot"] for record in kept} >= {"employer", "relation:sister=anna"}
        assert all(record["attribute"] for record in kept)
