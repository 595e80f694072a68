"""Draws what a block is made of: as a networkx graph to compute with, and as Mermaid text to look at.

Nodes are keyed by path (``"chat > clean"``; a second use of one block adds ``" #2"``). They carry ``kind``, ``name``,
``description``, ``label``, ``container`` (a sequencer with steps inside), ``parent`` (the container around it, or "")
and ``background``. Edges carry ``label`` and ``kind``: flow, enter (a container to what is inside first), work, rescue
or part.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..lazy import lazy
from .block import PATH, Block

if TYPE_CHECKING:
    import networkx as nx

    Graph = nx.DiGraph[str]
else:
    nx = lazy("networkx")

Ends = list[tuple[str, str]]
"""The nodes from which the flow goes on, each with the label of the edge to come."""
EdgeKind = Literal["flow", "enter", "work", "rescue", "part"]

_SHAPES = {
    "router": ("{", "}"),
    "then_if": ("{", "}"),
    "branch": ("{", "}"),
    "exit_if": ("{", "}"),
    "parallel": ("{{", "}}"),
    "map": ("(", ")"),
    "wait_for_work": ("(", ")"),
}
_ALONE = ("then", "tap", "for_each", "do_until")
"""Steps that are drawn as their one block."""
_WAYS = ("parallel", "branch", "then_if")
"""Steps from which several ways go on."""
_SAFE = set(" -_.,:()=+/!?'")


def graph_of(block: Block[Any, Any]) -> "Graph":
    """Return the structure of ``block`` as a directed graph, its edges in the order of the flow."""
    drawing = _Drawing()
    drawing.add_block(block, block.name, "")
    return drawing.graph


def mermaid_of(block: Block[Any, Any]) -> str:
    """Return the structure of ``block`` as a Mermaid flowchart: sequencers as frames, background work dashed."""
    graph = graph_of(block)
    ids = {path: f"n{number}" for number, path in enumerate(graph.nodes)}
    lines = ["flowchart TD", *_framed(graph, ids, "", "    ")]
    for source, target, edge in graph.edges(data=True):
        if edge["kind"] == "enter":  # a frame cannot point at what it holds
            continue
        arrow = "-->" if edge["kind"] == "flow" else "-.->"
        label = f'|"{escape(edge["label"])}"|' if edge["label"] else ""
        lines.append(f"    {ids[source]} {arrow}{label} {ids[target]}")
    dashed = [ids[path] for path, node in graph.nodes(data=True) if node["background"]]
    if dashed:
        lines += ["    classDef background stroke-dasharray: 5 5", f"    class {','.join(dashed)} background"]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Return ``text`` as a quoted Mermaid label may hold it: what could end or format the label is written as its code.

    >>> escape('say "hi" <now>')
    'say #34;hi#34; #60;now#62;'
    """
    flat = " ".join(text.split())
    return "".join(char if char.isalnum() or char in _SAFE else f"#{ord(char)};" for char in flat)


def _framed(graph: "Graph", ids: dict[str, str], parent: str, indent: str) -> Iterator[str]:
    for path, node in graph.nodes(data=True):
        if node["parent"] != parent:
            continue
        label = f'"{escape(node["label"])}"'
        if node["container"]:
            yield f"{indent}subgraph {ids[path]}[{label}]"
            yield from _framed(graph, ids, path, indent + "    ")
            yield f"{indent}end"
        else:
            left, right = _SHAPES.get(node["kind"], ("[", "]"))
            yield f"{indent}{ids[path]}{left}{label}{right}"


class _Drawing:
    """A graph while it is drawn."""

    def __init__(self) -> None:

        self.graph: Graph = nx.DiGraph()

    def add_block(self, block: Block[Any, Any], path: str, parent: str, role: str = "") -> tuple[str, Ends]:
        """Draw a block; return its node and the ends from which the flow goes on."""
        label = f"{block.name} ({role})" if role else block.name
        steps: Sequence[Any] | None = getattr(block, "steps", None)  # of a sequencer
        routes: Sequence[Block[Any, Any]] | None = getattr(block, "routes", None)  # of a router
        node = self._node(path, parent, block.kind, name=block.name, label=label, container=bool(steps))
        self.graph.nodes[node]["description"] = block.description
        ends: Ends = [(node, "")]
        inside: Ends = [(node, "")]
        for number, step in enumerate(steps or (), 1):
            inside = self._add_step(step, number, node, inside)
        if routes is not None:
            ends = self._add_parts([(route.name, route) for route in routes], node, parent, "flow", is_told=True)
        rescues = [(rescue.label, rescue.block) for rescue in block.rescues]
        ends += self._add_parts(rescues, node, parent, "rescue")
        if steps is None and routes is None:
            rescue_ids = {id(rescue.block) for rescue in block.rescues}
            parts = [(title, child) for title, child in block.children() if id(child) not in rescue_ids]
            self._add_parts(parts, node, parent, "part")
        return node, ends

    def _add_parts(
        self,
        children: Iterable[tuple[str, Block[Any, Any]]],
        node: str,
        parent: str,
        kind: EdgeKind,
        *,
        is_told: bool = False,
    ) -> Ends:
        ends: Ends = []
        for title, child in children:
            target, further = self.add_block(child, f"{node}{PATH}{child.name}", parent)
            self._edge(node, target, title if is_told or title != child.name else "", kind)
            ends += further
        return ends

    def _add_step(self, step: Any, number: int, inside: str, ends: Ends) -> Ends:
        if step.kind == "work":
            node, _ = self._add_body(step, inside, "work")
            self._join(ends, node, inside, "work", "work")
            return ends
        if step.kind in _ALONE:
            return self._add_single(step, inside, ends)
        node = self._node(f"{inside}{PATH}{step.kind} {number}", inside, step.kind, name=step.kind, label=step.title)
        self._join(ends, node, inside)
        if step.kind in _WAYS:
            return self._add_ways(step, node, inside)
        return [(node, "no")] if step.kind == "exit_if" else [(node, "")]

    def _add_single(self, step: Any, inside: str, ends: Ends) -> Ends:
        role = step.title
        node, further = self._add_body(step, inside, role)
        self._join(ends, node, inside, role if step.kind in ("tap", "for_each") else "")
        if step.kind == "do_until":
            self._edge(node, node, role)
        return further

    def _add_ways(self, step: Any, node: str, inside: str) -> Ends:
        ends: Ends = []
        for title, body in step.bodies():
            target, further = self.add_block(body.block, f"{inside}{PATH}{body.block.name}", inside)
            self._edge(node, target, "yes" if step.kind == "then_if" else title)
            ends += further
        return [*ends, (node, "no")] if step.kind == "then_if" else ends

    def _add_body(self, step: Any, inside: str, role: str) -> tuple[str, Ends]:
        block = step.bodies()[0][1].block
        node, ends = self.add_block(block, f"{inside}{PATH}{block.name}", inside, role)
        self.graph.nodes[node]["background"] = step.kind == "work"
        return node, ends

    def _node(self, path: str, parent: str, kind: str, *, name: str, label: str, container: bool = False) -> str:
        node, count = path, 1
        while node in self.graph:
            count += 1
            node = f"{path} #{count}"
        self.graph.add_node(
            node,
            kind=kind,
            name=name,
            label=label,
            description="",
            container=container,
            parent=parent,
            background=False,
        )
        return node

    def _join(self, ends: Ends, node: str, inside: str, label: str = "", kind: EdgeKind = "flow") -> None:
        for source, before in ends:
            joined = ", ".join(part for part in (before, label) if part)
            self._edge(source, node, joined, "enter" if source == inside else kind)

    def _edge(self, source: str, target: str, label: str, kind: EdgeKind = "flow") -> None:
        self.graph.add_edge(source, target, label=label, kind=kind)
