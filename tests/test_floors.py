"""The rules of the house as tests: which floor imports which, how long things may be, and what stands nowhere."""

import ast
import importlib
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median, quantiles

import networkx as nx
import pytest
from hypothesis import settings
from importlinter.cli import lint_imports

from tests.conftest import QUICK, SLOW

ROOT = Path(__file__).parents[1]
FLOORS = ("fabric", "capabilities", "blocks", "pipelines")
SOURCES = sorted(path for floor in FLOORS for path in (ROOT / floor).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SUPERVISED = {
    ("fabric/workers/work.py", "_try"): "a job's failure is recorded, never raised",
    ("fabric/workers/background.py", "_supervise"): "a job whose state cannot be stored must not stop the others",
    ("fabric/store/lanes.py", "call"): "what a transaction raises is raised where its result is asked for",
    ("fabric/store/lanes.py", "submit"): "a call that cannot be handed over is taken back, and the error goes on",
    ("fabric/workers/background.py", "_say"): "a listener that raises must not stop the work of others",
    ("fabric/store/worker.py", "call"): "what is called is raised where its result is asked for",
    ("fabric/store/worker.py", "submit"): "the same",
    (
        "fabric/workers/work.py",
        "describe",
    ): "what cannot be looked through for secrets is told by its type",
    ("fabric/telemetry/logger.py", "without_secrets"): "the same of a log line, which is withheld",
    ("fabric/telling.py", "message_of"): "an error whose own code fails is told without its message",
    ("fabric/telling.py", "repr_of"): "the same of a value",
    ("capabilities/cognitive/encoder.py", "present_mood"): "a mood is user code: without one a memory still remembers",
    ("fabric/generation/toolbox.py", "outcome"): "a tool is user code: its failure is a result the model sees",
}
"""Where an error of any kind may end, and why; everywhere else a broad handler raises."""
FILE_LINES, FILE_MEDIAN = 400, 150
ROOM, CIRCLE, MOST_DOTS = 15, 3, 2
FUNCTION_LINES, FUNCTION_MEDIAN, FUNCTION_P90 = 60, 10, 30
METHODS = 20
WIDE = {
    ("fabric/flow/run.py", "Run"): "what all blocks of a run share, each verb asked for by a context",
    ("fabric/store/base.py", "Rows"): "the verbs inside a transaction, which a back end has to have all of",
    ("fabric/store/duckdb/rows/rows.py", "SqlRows"): "the same verbs, and what the store itself asks of them",
    ("capabilities/cognitive/memory.py", "CognitiveMemory"): "one for each operation",
}
"""The classes with more public methods, and why each."""
MOST_ONES = 3
"""How often a file may call something `one`: of two that are alike, as in `one, other`; else a noun says more."""
SELF_MADE = {("datetime", "now"), ("datetime", "utcnow"), ("datetime", "today"), ("date", "today")} | {
    ("uuid", f"uuid{version}") for version in (1, 3, 4, 5, 7)
}
"""A time or an id that no clock was asked for."""
SQL = re.compile(
    r"\b(SELECT [\w*{(\s]|INSERT (OR \w+ )?INTO|UPDATE \S+ SET|DELETE FROM"
    r"|(CREATE|ALTER|DROP) (TABLE|INDEX|SEQUENCE|VIEW)"
    r"|PRAGMA |BEGIN TRANSACTION|CHECKPOINT\b|ORDER BY |WHERE \S+ (=|IN|IS)\b|COPY \S+ (TO|FROM)|ATTACH )"
)
"""What only a statement of a database says; names and words in capitals are not enough."""
MACHINE = re.compile(r"(?<![\w.])/(work|tmp|root|farm)/\w")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(path)))


@cache
def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def module_of(path: Path) -> str:
    return name_of(path).removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def length(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def lengths(*kinds: type[ast.AST]) -> dict[str, int]:
    """Return the length in lines of every definition of these kinds."""
    return {
        f"{name_of(path)}:{node.lineno} {node.name}": length(node)
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, kinds) and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def file_lengths(paths: list[Path]) -> dict[str, int]:
    return {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}


def imports(path: Path) -> Iterator[tuple[str, int, ast.AST]]:
    """Yield every imported module of a file with its level (0 absolute) and its statement."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((alias.name, 0, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "", node.level, node


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_imports_point_down_only(capsys: pytest.CaptureFixture[str]):
    code = lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True, no_logo=True)
    assert code == 0, capsys.readouterr().out


def dots_to(path: Path, module: str) -> int:
    """Return how many dots a relative import of a module of the same floor begins with."""
    room, target = path.relative_to(ROOT).parts[:-1], module.split(".")
    common = next(
        (n for n, (a, b) in enumerate(zip(room, target, strict=False)) if a != b), min(len(room), len(target))
    )
    return len(room) - common + 1


def test_imports_are_relative_near_by_and_absolute_from_further_away():
    wrong: list[str] = []
    for path in SOURCES:
        floor = name_of(path).partition("/")[0]
        depth = len(path.relative_to(ROOT).parts) - 1
        for module, level, node in imports(path):
            near = level == 0 and module.partition(".")[0] == floor and dots_to(path, module) <= MOST_DOTS
            if near or level > min(depth, MOST_DOTS):
                wrong.append(f"{name_of(path)}:{getattr(node, 'lineno', 0)} {'.' * level}{module}")
    assert wrong == []


@cache
def import_graph() -> "nx.DiGraph[str]":
    """Return which module of ours imports which, inside functions and for type checkers too."""
    modules = {module_of(path): path for path in SOURCES}
    graph: nx.DiGraph[str] = nx.DiGraph()
    for own, path in modules.items():
        room = own if path.name == "__init__.py" else own.rpartition(".")[0]
        for node in nodes(path):
            if not isinstance(node, ast.ImportFrom):
                continue
            above = room.split(".")[: len(room.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                target = next((one for one in (f"{module}.{alias.name}", module) if one in modules), own)
                if target != own:
                    graph.add_edge(own, target)
    return graph


def test_no_circle_of_imports_is_wider_than_three_files():
    circles = [sorted(circle) for circle in nx.strongly_connected_components(import_graph())]
    assert [circle for circle in circles if len(circle) > CIRCLE] == []


def test_no_room_holds_more_than_fifteen_files():
    rooms = Counter(path.parent.relative_to(ROOT).as_posix() for path in SOURCES)
    assert {room: number for room, number in rooms.items() if number > ROOM} == {}


@pytest.mark.parametrize(
    ("library", "allowed"),
    [
        ("duckdb", ("fabric/store/duckdb",)),
        ("litellm", ("fabric/models/litellm.py", "pipelines/adapters/litellm")),
        ("opentelemetry", ("fabric/telemetry/tracing.py",)),
    ],
)
def test_one_place_knows_the_library(library: str, allowed: tuple[str, ...]):
    users = {
        name_of(path)
        for path in SOURCES
        for module, level, _ in imports(path)
        if level == 0 and module.partition(".")[0] == library
    }
    assert users
    assert {user for user in users if not user.startswith(allowed)} == set()


def test_sql_stands_in_one_room():
    found = [
        name_of(path)
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    ]
    assert found
    assert {name for name in found if not name.startswith("fabric/store/duckdb/")} == set()


def test_litellm_is_imported_inside_functions_only():
    path = ROOT / "fabric/models/litellm.py"
    inside = {id(node) for function in functions(path) for node in ast.walk(function)}
    found = [node for module, _, node in imports(path) if module.partition(".")[0] == "litellm"]
    assert found
    assert all(id(node) in inside for node in found)


def test_time_ids_and_chance_come_from_the_clock():
    wrong: list[str] = []
    for path in SOURCES:
        if name_of(path) == "fabric/clock.py":
            continue
        wrong += [
            f"{name_of(path)} imports {module}" for module, _, _ in imports(path) if module in ("random", "secrets")
        ]
        wrong += [
            f"{name_of(path)}:{node.lineno} {node.attr}"
            for node in nodes(path)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and (node.value.id, node.attr) in SELF_MADE
        ]
    assert wrong == []


def test_formulas_know_neither_clock_nor_loop_nor_anything_of_ours():
    known = {
        module.partition(".")[0]
        for path in SOURCES
        if name_of(path).startswith("capabilities/formulas/")
        for module, level, _ in imports(path)
        if level == 0
    }
    assert known
    assert known.isdisjoint({"asyncio", "datetime", "time", "random", "uuid", *FLOORS})


def test_no_file_or_function_is_too_long():
    limits = [
        (file_lengths(SOURCES), FILE_LINES),
        (lengths(ast.FunctionDef, ast.AsyncFunctionDef), FUNCTION_LINES),
    ]
    assert {name: size for sizes, limit in limits for name, size in sizes.items() if size > limit} == {}


def methods_of(node: ast.ClassDef) -> set[str]:
    """Return the names of a class's public methods; what is read like an attribute is none."""
    return {
        inside.name
        for inside in node.body
        if isinstance(inside, ast.FunctionDef | ast.AsyncFunctionDef)
        and not inside.name.startswith("_")
        and not any(ast.unparse(mark).endswith(("property", ".setter")) for mark in inside.decorator_list)
    }


def test_no_class_has_more_than_twenty_public_methods():
    classes = ((path, node) for path in SOURCES for node in nodes(path) if isinstance(node, ast.ClassDef))
    sizes = {(name_of(path), node.name): len(methods_of(node)) for path, node in classes}
    assert {name for name, size in sizes.items() if size > METHODS} == WIDE.keys()


def test_most_files_and_functions_are_short():
    sizes = sorted(lengths(ast.FunctionDef, ast.AsyncFunctionDef).values())
    assert median(file_lengths(SOURCES).values()) <= FILE_MEDIAN
    assert median(sizes) <= FUNCTION_MEDIAN
    assert quantiles(sizes, n=10)[-1] <= FUNCTION_P90


def is_one(node: ast.AST) -> bool:
    """Return whether a node binds the name `one`: as a variable, or as an argument."""
    if isinstance(node, ast.Name):
        return node.id == "one" and isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.arg) and node.arg == "one"


def test_what_a_name_holds_is_called_by_its_noun():
    ones = Counter(name_of(path) for path in SOURCES for node in nodes(path) if is_one(node))
    assert ones
    assert {name: number for name, number in ones.items() if number > MOST_ONES} == {}


def exported(path: Path) -> list[str] | None:
    for node in tree(path).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets):
            assert isinstance(node, ast.Assign)
            return list(ast.literal_eval(node.value))
    return None


def kind_and_name(name: str) -> tuple[int, str]:
    """Order constants first, then classes, then the rest, as the linter does."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_exported_names_exist_and_are_sorted():
    told = {path: names for path in SOURCES if (names := exported(path)) is not None}
    assert len(told) > len(FLOORS)
    wrong = {name_of(path): names for path, names in told.items() if names != sorted(set(names), key=kind_and_name)}
    missing = [
        f"{module_of(path)}.{name}"
        for path, names in told.items()
        for name in names
        if not hasattr(importlib.import_module(module_of(path)), name)
    ]
    assert (wrong, missing) == ({}, [])


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name == "__init__.py"], ids=name_of)
def test_a_package_exports_what_it_imports(path: Path):
    imported = {
        alias.asname or alias.name
        for node in tree(path).body
        if isinstance(node, ast.ImportFrom) and node.level > 0
        for alias in node.names
    }
    assert imported - set(exported(path) or []) <= {"check_floors"}


def catches_everything(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(
        one is None or (isinstance(one, ast.Name) and one.id in ("Exception", "BaseException")) for one in caught
    )


def test_errors_of_any_kind_end_only_where_work_and_tools_are_supervised():
    ends = {
        (name_of(path), function.name)
        for path in SOURCES
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, ast.ExceptHandler) and catches_everything(node)
        if not any(isinstance(one, ast.Raise) for one in ast.walk(node)) or "supervis" in function.name
    }
    assert ends == set(SUPERVISED)


def test_no_handler_swallows_an_error():
    wrong = [
        f"{name_of(path)}:{node.lineno}"
        for path in SOURCES
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and all(isinstance(statement, ast.Pass | ast.Continue) for statement in node.body)
        if catches_everything(node)
    ]
    assert wrong == []


def test_tests_use_the_product_and_replace_nothing_in_it():
    forbidden = {"".join(parts) for parts in (("pat", "ch"), ("Magic", "Mock"), ("Async", "Mock"), ("Mo", "ck"))}
    names = re.compile("|".join((*forbidden, "mock", "setattr")))  # most files have none, and need not be parsed
    wrong: list[str] = []
    for path in (path for path in TESTS if names.search(path.read_text(encoding="utf-8"))):
        wrong += [f"{name_of(path)} imports {module}" for module, _, _ in imports(path) if module == "unittest.mock"]
        for node in nodes(path):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name in forbidden or (name == "setattr" and isinstance(node, ast.Attribute)):
                wrong.append(f"{name_of(path)}:{getattr(node, 'lineno', 0)} {name}")
    assert wrong == []


def test_what_is_said_to_be_slow_or_quick_is_there():
    places = [f"{name_of(path)}/" if path.is_dir() else name_of(path) for path in ROOT.glob("[!.]*/**/*")]
    places += [name_of(path) for path in ROOT.glob("*.md")]
    assert [told for told in (*SLOW, *QUICK) if told not in places] == []


def test_no_property_has_a_deadline():
    setting = {
        name_of(path)
        for path in TESTS
        if "deadline" in path.read_text(encoding="utf-8")
        for node in nodes(path)
        if isinstance(node, ast.keyword) and node.arg == "deadline"
    }
    assert (settings().deadline, setting) == (None, {"tests/conftest.py"})


def written() -> Iterator[Path]:
    """Yield every text file of the project."""
    for top in (*FLOORS, "tests", "notebooks", ".ci", ".github"):
        for path in (ROOT / top).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".duckdb", ".pyc"):
                yield path
    yield from (path for path in ROOT.glob("*") if path.is_file() and path.suffix in (".md", ".toml", ".py", ""))


def test_no_path_of_a_machine_is_written_down():
    wrong = [
        f"{name_of(path)}: {found.group()}"
        for path in written()
        for found in [MACHINE.search(path.read_text(encoding="utf-8", errors="replace"))]
        if found
    ]
    assert wrong == []
