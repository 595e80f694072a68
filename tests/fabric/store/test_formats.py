"""Files of every earlier format open with today's code, and what they hold is found."""

from pathlib import Path

import duckdb

from fabric.scope import Scope
from fabric.store.base import Table
from fabric.store.duckdb.migrations import MIGRATIONS
from fabric.store.duckdb.store import DuckDBStore

NOTES = Table("notes", {"n": "integer"}, "content")
JAKE = Scope("user", "jake")
FORMAT_1 = """
CREATE TABLE _meta (name VARCHAR NOT NULL, value VARCHAR NOT NULL);
CREATE TABLE _migrations (number INTEGER NOT NULL, name VARCHAR NOT NULL);
CREATE TABLE _tables (name VARCHAR NOT NULL, columns VARCHAR NOT NULL, text VARCHAR NOT NULL);
CREATE TABLE _scopes (number BIGINT NOT NULL, kind VARCHAR NOT NULL, key VARCHAR NOT NULL);
CREATE TABLE _documents (_key HUGEINT NOT NULL, _scope BIGINT NOT NULL, name VARCHAR, value VARCHAR);
CREATE INDEX _documents_key ON _documents (_key);
INSERT INTO _meta VALUES ('application', 'thought-fabric'), ('identity', 'file_1'), ('format', '1');
INSERT INTO _migrations VALUES (1, 'm001_first');
INSERT INTO _tables VALUES ('notes', '{"n": "integer"}', 'content');
INSERT INTO _scopes VALUES (0, 'user', 'jake');
CREATE TABLE "notes" (_key HUGEINT NOT NULL, _scope BIGINT NOT NULL, _seq BIGINT NOT NULL, id VARCHAR NOT NULL,
    _row VARCHAR NOT NULL, "n" BIGINT);
CREATE INDEX "_notes_key" ON "notes" (_key);
CREATE INDEX "_notes_scope" ON "notes" (_scope);
INSERT INTO "notes" SELECT range, 0, range, 'r' || range, '{"id":"r' || range || '","n":' || range ||
    ',"content":"pizza word' || range || '"}', range FROM range(3000);
"""


def test_a_file_of_the_first_format_is_searched(tmp_path: Path):
    path = tmp_path / "first.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(FORMAT_1)
    store = DuckDBStore(path)
    for _ in range(2):
        store.open()
        store.define(NOTES)
        found = store.transact_sync(lambda rows: rows.match(NOTES, JAKE, ["pizza", "word2999"], 2))
        assert [one.id for one in found] == ["r2999", "r0"]
        assert store.transact_sync(lambda rows: rows.spaces(NOTES, JAKE)) == {"": 3000}
        store.transact_sync(lambda rows: rows.put(NOTES, JAKE, [{"id": "new", "content": "sushi"}]))
        assert [one.id for one in store.transact_sync(lambda rows: rows.match(NOTES, JAKE, ["sushi"], 2))] == ["new"]
        store.transact_sync(lambda rows: rows.delete(NOTES, JAKE, ["new"]))
        store.close()
    with duckdb.connect(str(path)) as connection:
        assert connection.execute("SELECT value FROM _meta WHERE name = 'format'").fetchall() == [
            (str(len(MIGRATIONS)),)
        ]
