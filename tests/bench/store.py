"""Medians of the store's verbs beside the size of the scope and of the table: ``python -m tests.bench.store``."""

import argparse
import hashlib
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from fabric.scope import Scope
from fabric.store.base import Row, Rows, Table, Where
from fabric.store.duckdb.store import DuckDBStore

FACTS = Table(
    "facts", {"subject": "text", "category": "text", "confidence": "real", "at": "time", "live": "boolean"}, "content"
)
SMALL = 100
TEXT = "she he works lives likes pizza sushi dog cat moved met paris berlin june monday plans wants bought sold with"
WORDS = TEXT.split()


def fact(number: int, version: int = 0) -> Row:
    """Return a row of about 300 bytes whose text shares words with others."""
    digest = hashlib.md5(f"{number}-{version}".encode(), usedforsecurity=False).hexdigest()
    chosen = " ".join(WORDS[int(digit, 16) + number % 5] for digit in digest[:8])
    return {
        "id": f"fact_{number:012x}",
        "subject": f"subject{number % 50}",
        "category": ("work", "home", "taste", "plan")[number % 4],
        "confidence": number % 10 / 10,
        "at": f"2026-01-{number % 28 + 1:02}T12:00:00Z",
        "live": number % 3 > 0,
        "content": f"{chosen} {digest}",
    }


def median(store: DuckDBStore, work: Callable[[Rows, int], Any], times: int = 40) -> float:
    """Return the median milliseconds of a transaction."""
    taken = []
    for number in range(times):
        begun = time.perf_counter()
        store.transact_sync(lambda rows, number=number: work(rows, number))
        taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def verbs(owner: Scope, size: int) -> dict[str, Callable[[Rows, int], Any]]:
    """Return what is measured on a scope that holds ``size`` facts."""
    return {
        "put 10 + write": lambda rows, n: _step(rows, owner, [size + n * 10 + i for i in range(10)]),
        "replace 10 + write": lambda rows, n: _step(rows, owner, [n * 7 % (size - 10) + i for i in range(10)], 1),
        "get 1": lambda rows, n: rows.get(FACTS, owner, [fact(n * 31 % size)["id"]]),
        "get 10": lambda rows, n: rows.get(FACTS, owner, [fact((n + i) * 31 % size)["id"] for i in range(10)]),
        "find 10 newest": lambda rows, _: rows.find(FACTS, owner, order="-at", limit=10),
        "find by subject": lambda rows, n: rows.find(
            FACTS, owner, [Where("subject", "=", f"subject{n}"), Where("live", "=", True)], limit=10
        ),
        "count": lambda rows, _: rows.count(FACTS, owner, [Where("confidence", ">=", 0.5)]),
        "match": lambda rows, n: rows.match(FACTS, owner, ["she", "pizza", WORDS[n % 20], "june", "nothing"], 10),
        "read": lambda rows, _: rows.read("working", owner),
    }


def _step(rows: Rows, owner: Scope, numbers: list[int], version: int = 0) -> None:
    rows.put(FACTS, owner, [fact(number, version) for number in numbers])
    rows.write("working", owner, {"entries": ["y" * 80] * 7})


def fill(store: DuckDBStore, owner: Scope, size: int) -> float:
    """Put ``size`` facts and return the seconds it took."""
    begun = time.perf_counter()
    for start in range(0, size, 1000):
        rows = [fact(number) for number in range(start, min(size, start + 1000))]
        store.transact_sync(lambda tx, rows=rows: tx.put(FACTS, owner, rows))
    return time.perf_counter() - begun


def sync_cost(folder: Path) -> float:
    """Return the median milliseconds that this disk takes to make 4 kB durable."""
    taken = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(40):
            file.write(b"x" * 4096)
            begun = time.perf_counter()
            os.fsync(file.fileno())
            taken.append((time.perf_counter() - begun) * 1000)
    return statistics.median(taken)


def measure(folder: Path, size: int, others: int) -> dict[str, float]:
    """Return the medians on a file with a scope of ``size`` facts and, beside it, ``others`` scopes like it."""
    store = DuckDBStore(folder / f"{size}-{others}.duckdb")
    store.open()
    store.define(FACTS)
    found: dict[str, float] = {}
    for number in range(others):
        fill(store, Scope("user", f"other{number}"), 1000 if size == SMALL else size)
    owner = Scope("user", "measured")
    found["fill, ms a row"] = fill(store, owner, size) * 1000 / size
    begun = time.perf_counter()
    store.transact_sync(lambda rows: rows.match(FACTS, owner, ["she"], 1))
    found["first match"] = (time.perf_counter() - begun) * 1000
    found["empty transaction"] = median(store, lambda *_: None)
    for name, work in verbs(owner, size).items():
        found[name] = median(store, work)
    begun = time.perf_counter()
    store.close()
    found["close"] = (time.perf_counter() - begun) * 1000
    begun = time.perf_counter()
    store.open()
    found["open"] = (time.perf_counter() - begun) * 1000
    store.close()
    return found


def first_indexes(folder: Path, size: int, times: int = 9) -> dict[str, float]:
    """Return the median processor milliseconds until a file's rows can be searched, with runs of tokens and without."""
    made = folder / "runs.duckdb"
    store = DuckDBStore(made)
    store.open()
    store.define(FACTS)
    owner = Scope("user", "measured")
    fill(store, owner, size)
    store.close()
    plain = folder / "plain.duckdb"
    shutil.copy(made, plain)
    with duckdb.connect(str(plain)) as connection:
        connection.execute("DELETE FROM _token_runs")
    taken: dict[str, list[float]] = {"with runs": [], "without": []}
    for _ in range(times):
        for name, file in zip(taken, (made, plain), strict=True):
            store = DuckDBStore(shutil.copy(file, folder / "opened.duckdb"))
            store.open()
            store.define(FACTS)
            begun = time.process_time()
            store.transact_sync(lambda rows: rows.index(FACTS, owner))
            taken[name].append((time.process_time() - begun) * 1000)
            store.close()
    return {name: statistics.median(several) for name, several in taken.items()}


def main() -> None:
    """Print one column per size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[SMALL, 10_000, 100_000])
    parser.add_argument("--beside", type=int, default=100_000, help="rows of other owners beside a scope of 100")
    parser.add_argument("--runs", type=int, help="only how long the index of so many rows takes, with runs of tokens")
    options = parser.parse_args()
    if options.runs:
        with tempfile.TemporaryDirectory() as folder:
            for name, value in first_indexes(Path(folder), options.runs).items():
                print(f"index of {options.runs:,} rows, {name}: {value:.0f} ms")
        return
    columns: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        print(f"one durable write of 4 kB on this disk: {sync_cost(Path(folder)):.2f} ms\n")
        for size in options.sizes:
            columns[f"{size:,}"] = measure(Path(folder), size, 0)
        columns[f"{SMALL} beside {options.beside:,}"] = measure(Path(folder), SMALL, options.beside // 1000)
    print(f"{'milliseconds, median':<22}" + "".join(f"{name:>22}" for name in columns))
    for verb in next(iter(columns.values())):
        print(f"{verb:<22}" + "".join(f"{column[verb]:>22.2f}" for column in columns.values()))


if __name__ == "__main__":
    main()
