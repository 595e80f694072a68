"""Importing broken and hostile files: each refused record has its place and its reason, and the rest is kept, once."""

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fabric import Fabric
from fabric.errors import RefusedError
from pipelines import memory_system
from pipelines.importing import FORMATS, FileImport, ImportReport, elements, file_import_block
from tests.soak import examples

from .commands import bring, facts, report

MEMORY = '{"id": "%s", "memory": "%s", "created_at": "2025-03-01T10:00:00Z"}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "broken.json"


def contents(path: Path) -> list[str]:
    return [fact["content"] for fact in facts(path)]


def whole(*records: str) -> str:
    return '{"results": [\n' + ",\n".join(records) + "\n]}"


BROKEN = [
    ('{"id": "b", "memory": tea}', "not JSON: Expecting value at column 23"),
    ('{"id": "b", "memory": "a\tb"}', "not JSON: Invalid control character at at column 25"),
    ('{"id": "b", "memory": 7}', "the memory must be text, got int 7"),
    ('{"id": "b", "memory": " "}', "the memory is blank"),
    ('{"id": ["b"], "memory": "tea"}', "expected a name or an id, got a list"),
    ('{"id": "b", "memory": "tea", "created_at": "9999-01-01"}', "no time that can be meant: '9999-01-01'"),
    ('{"id": "b", "memory": "tea", "created_at": "soon"}', "no time: 'soon'"),
    ('{"id": "b", "memory": "tea", "created_at": Infinity}', "no time: inf"),
    ('{"id": "b", "memory": "tea", "x": ' + "[" * 200 + "]" * 200 + "}", "nested more than 100 deep"),
    (
        '{"id": "b", "memory": "' + "x" * 30_000 + '"}',
        "the memory is 30,000 characters long; at most 20,000 are taken",
    ),
    ("17", "expected a memory, got 17"),
    ("NaN", "expected a memory, got nan"),
    ("null", "expected a memory, got None"),
]


def test_broken_records_cost_themselves_alone(path: Path) -> None:
    good = [MEMORY % (number, f"tea {number}") for number in range(len(BROKEN))]
    path.write_text(whole(*(record for pair in zip(good, BROKEN, strict=True) for record in (pair[0], pair[1][0]))))
    told = bring(path)
    assert told.exit_code == 1
    refused = [line for line in told.stderr.splitlines() if "record" in line]
    reasons = enumerate((reason for _, reason in BROKEN), start=1)
    assert refused == [f"skipped: results, record {2 * number}: {reason}" for number, reason in reasons]
    assert sorted(contents(path)) == sorted(f"tea {number}" for number in range(len(BROKEN)))
    assert report(path)["facts"]["new"] == 0


def test_a_file_that_is_cut_off_costs_the_record_that_is_cut(path: Path) -> None:
    path.write_text(whole(MEMORY % ("a", "one"), '{"id": "b", "memory": "cut}', MEMORY % ("c", "three")))
    told = bring(path)
    assert told.exit_code == 1
    assert "skipped: results, record 2: the file is cut off in the middle of it" in told.stderr.splitlines()
    assert contents(path) == ["one"]
    assert report(path)["facts"]["new"] == 0


def test_odd_but_readable_values_are_kept(path: Path) -> None:
    odd = '{"id": "b", "memory": "a\\u0000b \\ud800 \\u202e", "score": NaN, "hash": -Infinity, "categories": [1, "x"]}'
    path.write_text(whole(MEMORY % ("a", "one"), odd))
    assert bring(path).exit_code == 0
    assert len(contents(path)) == 2
    assert report(path)["facts"]["known"] == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom"])
def test_any_encoding_that_is_marked(path: Path, encoding: str) -> None:
    text = whole(MEMORY % ("a", "naïve 🐈 café"))
    data = (
        ("\ufeff" + text).encode(encoding.removesuffix("-bom")) if encoding.endswith("-bom") else text.encode(encoding)
    )
    path.write_bytes(data)
    assert bring(path).exit_code == 0
    assert contents(path) == ["naïve 🐈 café"]


def test_bytes_that_are_no_utf8_cost_their_record(path: Path) -> None:
    good = (MEMORY % ("a", "one")).encode()
    path.write_bytes(good + b"\n" + (MEMORY % ("b", "two")).encode().replace(b"two", b"t\xffo") + b"\n\x00\n" + good)
    told = report(path)
    assert told["problems"] == ["line 2: not UTF-8: byte 25 is 0xff"]
    assert (told["facts"]["new"], told["facts"]["known"]) == (1, 1)


@pytest.mark.parametrize(
    "text",
    ["", " \n ", "[]", "{}", '{"results": []}', "\ufeff[]"],
)
def test_an_empty_file_is_nothing_found(path: Path, text: str) -> None:
    path.write_text(text)
    assert bring(path).exit_code == 3
    assert not path.with_suffix(".duckdb").exists()


@pytest.mark.parametrize("text", ["nonsense", "[", "{", '{"a"', "[[[[", "]", "}", '"', "\x00\x01\x02", "1,2,3", "{]}["])
def test_garbage_is_refused_with_a_place(path: Path, text: str) -> None:
    path.write_text(text)
    told = bring(path)
    assert told.exit_code == 1
    assert told.stderr.startswith(("skipped: ", "error: "))
    assert not path.with_suffix(".duckdb").exists()


def test_a_file_that_fits_no_format_or_two_says_so(path: Path) -> None:
    path.write_text(json.dumps([{"colour": "red", "size": 3}]))
    told = bring(path)
    assert told.exit_code == 1
    assert (
        "the first is record 1, an object with colour, size. If it is one of these, say with --from which."
        in told.stderr
    )
    path.write_text(json.dumps([json.loads(MEMORY % ("a", "one")), {"role": "user", "content": "hi"}]))
    assert "its records fit messages and mem0. Say with --from which of them it is." in bring(path).stderr
    assert report(path, "--from", "mem0")["facts"]["new"] == 1
    unknown = bring(path, "--from", "mem1")
    assert "'mem1' is not one of 'auto', 'messages'" in " ".join(unknown.stderr.split())
    assert unknown.exit_code == 2


def test_one_id_with_two_texts_keeps_the_newer(path: Path) -> None:
    late = (MEMORY % ("a", "late")).replace("2025", "2026")
    path.write_text(whole(late, MEMORY % ("a", "early"), MEMORY % ("a", "early")))
    assert report(path)["facts"] == {"new": 1, "known": 0, "changed": 0, "older": 2}
    assert contents(path) == ["late"]


def test_a_record_without_an_id_is_known_by_its_text(path: Path) -> None:
    path.write_text('[{"memory": "tea", "hash": "1"}, {"memory": "tea", "hash": "1"}, {"memory": "rye", "hash": "2"}]')
    assert [report(path)["facts"][name] for name in ("new", "known")] == [2, 3]


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = sorted(
    {"id", "uuid", "memory", "content", "state", "app", "user_id", "agent_id", "created_at", "updated_at", "categories"}
    | {"fact", "name", "labels", "summary", "source", "group_id", "valid_at", "invalid_at", "expired_at", "role_type"}
    | {"label", "value", "limit", "text", "tags", "message_type", "messages", "role", "namespace", "key", "kind"}
    | {
        "conversations",
        "from",
        "mapping",
        "current_node",
        "parent",
        "children",
        "message",
        "author",
        "parts",
        "metadata",
    }
    | {"memory_id", "event", "old_memory", "new_memory", "blocks", "agents", "core_memory", "tool_calls", "function"}
)
WORDS = st.sampled_from(["user", "assistant", "2025-03-01T10:00:00Z", "tea", "", "\ud800", "a\x00b", "ADD", "DELETE"])
RECORD = st.recursive(
    WORDS | ANY,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=7),
    max_leaves=20,
)


def imported(path: Path, fabric: Fabric, block: Any, form: str) -> ImportReport | None:
    try:
        done: ImportReport = fabric.session("x", user="ann").run(block, FileImport(path=path, format=form)).output
    except RefusedError:
        return None
    return done


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(
    value=st.lists(st.dictionaries(st.sampled_from(NAMES), RECORD, max_size=7) | RECORD, max_size=3) | RECORD,
    lines=st.booleans(),
)
def test_any_json_is_imported_once_or_refused_in_any_format(path: Path, value: Any, lines: bool) -> None:
    records = value if isinstance(value, list) else [value]
    path.write_text("\n".join(json.dumps(record) for record in records) if lines else json.dumps(value))
    mem = memory_system(episodic=True, semantic=True, embedder=None)
    block = file_import_block(mem.layout)
    with Fabric() as fabric:
        for form in ("auto", *FORMATS):
            first, again = imported(path, fabric, block, form), imported(path, fabric, block, form)
            if first is not None and again is not None:
                assert (again.messages.new, again.facts.new, again.facts.changed) == (0, 0, 0)
                assert (again.refused, again.left_out) == (first.refused, first.left_out)
                assert again.total == first.total


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture], max_examples=examples(40))
@given(
    data=st.binary(max_size=200)
    | st.lists(st.sampled_from(['{"a":', "[", "]", "}", '"', "\\", "1", ",", "\n", " "])).map(
        lambda parts: "".join(parts).encode()
    )
)
def test_any_bytes_are_read_to_their_end(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    mem = memory_system(episodic=True, semantic=True, embedder=None)
    with Fabric() as fabric:
        imported(path, fabric, file_import_block(mem.layout), "auto")


@given(
    value=st.lists(RECORD) | st.dictionaries(st.text(), RECORD),
    indent=st.none() | st.integers(0, 2),
    size=st.integers(1, 9),
)
def test_the_records_of_a_document_are_those_that_json_reads(value: Any, indent: int | None, size: int) -> None:
    data = io.BytesIO(json.dumps(value, indent=indent, ensure_ascii=True).encode())
    found = list(elements.document(lambda: data.read(size)))
    pieces = [one for one in found if isinstance(one, elements.Piece)]
    assert len(pieces) == len(found)
    if isinstance(value, list):
        expected = value
    else:
        expected = [one for field in value.values() for one in (field if isinstance(field, list) else [field])]
    assert repr([piece.value for piece in pieces]) == repr(json.loads(json.dumps(expected)))


@given(value=st.lists(RECORD, min_size=1), cut=st.integers(1), size=st.integers(1, 9))
def test_of_a_document_that_is_cut_off_the_records_before_are_read(value: list[Any], cut: int, size: int) -> None:
    text = json.dumps(value)
    data = io.BytesIO(text[: 1 + cut % (len(text) - 1)].encode())
    found = list(elements.document(lambda: data.read(size)))
    read = [one.value for one in found if isinstance(one, elements.Piece)]
    assert repr(read[:-1]) == repr(json.loads(text)[: len(read[:-1])])
    assert isinstance(found[-1], elements.Problem)


def test_a_record_that_is_too_large_is_passed_without_being_kept(path: Path) -> None:
    size = elements.MAX_RECORD_BYTES // 4

    def chunks() -> Any:
        yield b'[{"a": 1}, {"b": "'
        for _ in range(5):
            yield b"x" * size
        yield b'"}, {"c": 3}]'

    rest = chunks()
    found = list(elements.document(lambda: next(rest, b"")))
    assert [getattr(one, "value", str(one)) for one in found] == [
        {"a": 1},
        "record 2: longer than 67,108,864 bytes",
        {"c": 3},
    ]


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return path


def test_an_archive_is_read_for_what_it_is_known_to_hold(path: Path) -> None:
    memories = (
        json.dumps({"id": "m1", "content": "Likes tea", "state": "active", "app": "x", "categories": []})
    ).encode()
    zipped(path, memories_jsonl_gz=gzip.compress(memories), other_txt=b"x")
    assert report(path)["facts"]["new"] == 1
    path.write_bytes(gzip.compress(memories))
    assert report(path)["facts"]["known"] == 1
    path.write_bytes(gzip.compress(memories * 100)[:-30])
    assert "skipped: the archive: cannot be unpacked: " in bring(path).stderr
    zipped(path, conversations_json=b'[{"messages": [{"role": "user", "content": "hi"}]}]', user_json=b"{}")
    assert report(path)["messages"]["new"] == 1
    zipped(path, photo_png=b"x")
    assert "nothing in the archive that can be imported: it holds photo.png" in bring(path).stderr
    path.write_bytes(path.read_bytes()[:60])
    assert "not a zip file that can be read" in bring(path).stderr


def test_an_archive_that_unpacks_to_far_more_than_it_is_stops(path: Path) -> None:
    zipped(
        path, conversations_json=b'[{"messages": [{"role": "user", "content": "hi"}]}, "' + b" " * 90_000_000 + b'"]'
    )
    told = bring(path)
    assert "it unpacks to more than" in told.stderr
    assert "1 message of 1 session: 1 new" in told.stdout


@pytest.mark.parametrize(
    "data", [b"Hello there\nthis is a text\n\nof lines\n", b"id,name\n1,2\n", b"\x89PNG\xff\n\xfe\n"]
)
@pytest.mark.parametrize("options", [(), ("--from", "mem0")])
def test_a_file_that_is_something_else_costs_one_line(tmp_path: Path, data: bytes, options: tuple[str, ...]) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    told = bring(path, *options)
    assert told.stderr.count("\n") == 1
    assert told.stderr.startswith("error: this is no export: ")
    assert told.exit_code == 1


def test_a_format_that_is_not_the_files_is_told_which_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mem0.json"
    path.write_text(json.dumps({"results": [{"id": "1", "memory": "Likes tea", "user_id": "ann"}]}))
    told = bring(path, "--from", "letta")
    assert "its records are not of letta; they look like mem0. Say --from mem0" in told.stderr
