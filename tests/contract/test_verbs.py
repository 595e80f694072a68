"""Verbs: nothing of the seam is left untried."""

import ast
from pathlib import Path

from fabric.search.base import ColumnView, PostingsView, SearchView, VectorsView
from fabric.store.base import Rows, Store

CALLED = {
    Rows: {"tx", "before", "rows"},
    Store: {"store"},
    SearchView: {"view", "frozen"},
    ColumnView: {"label", "view.columns[name]"},
    PostingsView: {"postings"},
    VectorsView: {"vectors"},
}
"""What the tests of the contract call what they were given: a dictionary has a `get`, too."""


def test_the_contract_tries_every_verb():
    parsed = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("*.py")]
    used = {
        (ast.unparse(node.value), node.attr)
        for tree in parsed
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
    }
    untried = {
        f"{protocol.__name__}.{verb}"
        for protocol, names in CALLED.items()
        for verb in vars(protocol)
        if not verb.startswith("_") and not any((name, verb) in used for name in names)
    }
    assert untried == set()
