"""Flipped bytes: whatever block they are in, a check-up finds them, and changes nothing."""

from pathlib import Path

from fabric.errors import StoreError
from fabric.store.duckdb.check.block_check import block_findings, reading_bytes
from fabric.store.duckdb.file.log import HEADER_BYTES
from pipelines import Memory

BLOCK = 262_144


def states(path: Path) -> list[str]:
    with reading_bytes(path) as (sql, raw):
        return [one.state for one in block_findings(sql, raw)]


def test_a_flipped_byte_is_found_in_every_block(tmp_path: Path):
    path = tmp_path / "m.duckdb"
    with Memory(path, user="jake", embedder=None) as memory:
        memory.remember("Is allergic to peanuts")
    whole = path.read_bytes()
    assert states(path) == ["ok"]
    blocks = range(HEADER_BYTES, len(whole), BLOCK)
    assert len(blocks) > 3
    for number, start in enumerate(blocks):
        at = start + 8 + (number * 12_289) % (BLOCK - 8)
        flipped = whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :]
        path.write_bytes(flipped)
        try:
            found = states(path)
        except StoreError:  # the driver read it while it opened the file
            found = ["problem"]
        assert found == ["problem"], f"block {number}"
        assert path.read_bytes() == flipped
