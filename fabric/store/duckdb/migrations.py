"""The steps that bring a file of any earlier version to the present form; they only ever add."""

from collections.abc import Callable

from fabric.clock import SystemClock
from fabric.errors import NewerFileError

from .sql import Sql, identifier

APPLICATION = "thought-fabric"
SYSTEM_TABLES = frozenset({"_meta", "_migrations", "_tables", "_scopes", "_documents"})
SEARCH_COLUMNS = ["_terms VARCHAR", "_space INTEGER", "_vector BLOB", "_parts BLOB"]
"""What every collection's rows have for searching: tokens, a vector with the number of its space, those of passages.

``_parts`` is empty where the text has no passages, and NULL where nobody has looked.
"""
MIGRATIONS: list[Callable[[Sql], None]] = []


def migration(step: Callable[[Sql], None]) -> Callable[[Sql], None]:
    """Register the next step; its name starts with ``m`` and its number."""
    MIGRATIONS.append(step)
    if not step.__name__.startswith(f"m{len(MIGRATIONS):03}_"):
        raise NameError(f"{step.__name__} is step {len(MIGRATIONS)}: its name must say so")
    return step


@migration
def m001_first(sql: Sql) -> None:
    """Create what every file has: its identity, the known collections, the scopes and the documents."""
    sql.create(
        [
            "CREATE TABLE _meta (name VARCHAR NOT NULL, value VARCHAR NOT NULL)",
            "CREATE TABLE _migrations (number INTEGER NOT NULL, name VARCHAR NOT NULL)",
            "CREATE TABLE _tables (name VARCHAR NOT NULL, columns VARCHAR NOT NULL, text VARCHAR NOT NULL)",
            "CREATE TABLE _scopes (number BIGINT NOT NULL, kind VARCHAR NOT NULL, key VARCHAR NOT NULL)",
            "CREATE TABLE _documents (_key HUGEINT NOT NULL, _scope BIGINT NOT NULL, name VARCHAR, value VARCHAR)",
            "CREATE INDEX _documents_key ON _documents (_key)",
        ]
    )
    values = ["application", APPLICATION, "identity", SystemClock().new_id("file"), "format", "0"]
    sql.run("INSERT INTO _meta VALUES (?, ?), (?, ?), (?, ?)", values)


@migration
def m002_searching(sql: Sql) -> None:
    """Give every row room for its tokens and its vector; tokens are filled in when a scope is searched first."""
    sql.run("CREATE TABLE _spaces (number INTEGER NOT NULL, name VARCHAR NOT NULL)")
    for (name,) in sql.rows("SELECT name FROM _tables"):
        for column in ("_terms VARCHAR", "_space INTEGER", "_vector BLOB"):
            sql.run(f"ALTER TABLE {identifier(name, 'the collection name')} ADD COLUMN {column}")


@migration
def m003_token_runs(sql: Sql) -> None:
    """Make room for the tokens of many rows as numbers; what is missing there is read from the rows themselves."""
    sql.run(
        "CREATE TABLE _token_runs (collection VARCHAR NOT NULL, _scope BIGINT NOT NULL, first BIGINT NOT NULL, "
        "last BIGINT NOT NULL, rows INTEGER NOT NULL, tokens VARCHAR NOT NULL, sizes BLOB NOT NULL, "
        "numbers BLOB NOT NULL)"
    )


@migration
def m004_passages(sql: Sql) -> None:
    """Give every row room for the vectors of its passages; long texts get them when they are embedded again."""
    for (name,) in sql.rows("SELECT name FROM _tables"):
        sql.run(f"ALTER TABLE {identifier(name, 'the collection name')} ADD COLUMN _parts BLOB")


@migration
def m005_traces_in_recall(sql: Sql) -> None:
    """Forget the tokens of traces, which are recalled with all else now: they are written anew when searched first."""
    for (name,) in sql.rows("SELECT name FROM _tables WHERE starts_with(name, 'traces_')"):
        sql.run(f"UPDATE {identifier(name, 'the collection name')} SET _terms = NULL")
        sql.run("DELETE FROM _token_runs WHERE collection = ?", [name])


@migration
def m006_packed_cells(sql: Sql) -> None:
    """Tell earlier versions that collections made from now on may have their cells in one column."""
    del sql


def migrate(sql: Sql, location: str, *, new: bool) -> None:
    """Run the steps that the file has not seen, in the caller's transaction; raise NewerFileError if it is newer."""
    done = 0 if new else file_format(sql)
    check_format(done, location)
    steps = dict(enumerate(MIGRATIONS[done:], start=done + 1))
    for step in steps.values():
        step(sql)
    if steps:
        taken = [value for number, step in steps.items() for value in (number, step.__name__)]
        sql.run(f"INSERT INTO _migrations VALUES {', '.join(['(?, ?)'] * len(steps))}", taken)
        sql.run("UPDATE _meta SET value = ? WHERE name = 'format'", [str(max(steps))])


def file_format(sql: Sql) -> int:
    """Return the number of the last step that the file has seen."""
    return int(sql.rows("SELECT value FROM _meta WHERE name = 'format'")[0][0])


def check_format(found: int, location: str) -> None:
    """Raise NewerFileError when the file has seen steps that are not known here."""
    if found > len(MIGRATIONS):
        raise NewerFileError(
            f"{location} has file format {found}, but this version of {APPLICATION} knows formats up to "
            f"{len(MIGRATIONS)}: upgrade {APPLICATION} to open it; the file was not changed"
        )
