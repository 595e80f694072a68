"""Verbs: nothing of the seam is left untried."""

import ast
from pathlib import Path

from fabric.search.base import ColumnView, PostingsView, SearchView, VectorsView
from fabric.store.base import Rows, Store


def test_the_contract_tries_every_verb():
    parsed = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(__file__).parent.glob("*.py")]
    used = {node.attr for tree in parsed for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    seam = (Rows, Store, SearchView, ColumnView, PostingsView, VectorsView)
    verbs = {name for protocol in seam for name in vars(protocol) if not name.startswith("_")}
    assert verbs - used == set()
