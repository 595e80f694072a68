"""What a picture of a block shows: every block by its path, the flow between them, frames, and work dashed."""

import re
from typing import Any

import networkx as nx
import pytest

from fabric import handler, router, sequencer
from fabric.flow.block import Block
from fabric.generation.generator import generator

a, b, c = (handler(lambda value: value, name=name, description=f"block {name}") for name in "abc")


def flow(block: Block[Any, Any], kind: str = "flow") -> list[tuple[str, str, str]]:
    return [(one, two, edge["label"]) for one, two, edge in block.graph().edges(data=True) if edge["kind"] == kind]


def test_one_handler_is_one_node():
    graph = a.graph()
    assert dict(graph.nodes(data=True)) == {
        "a": {
            "kind": "handler",
            "name": "a",
            "label": "a",
            "description": "block a",
            "container": False,
            "parent": "",
            "background": False,
        }
    }
    assert a.to_mermaid() == 'flowchart TD\n    n0["a"]\n'


def test_a_chain_flows_from_step_to_step_inside_its_container():
    chain = sequencer(name="chain").then(a).then(b).map(str).tap(c)
    assert flow(chain) == [
        ("chain > a", "chain > b", ""),
        ("chain > b", "chain > map 3", ""),
        ("chain > map 3", "chain > c", "tap"),
    ]
    assert flow(chain, "enter") == [("chain", "chain > a", "")]
    assert chain.graph().nodes["chain"]["container"]
    assert {node["parent"] for path, node in chain.graph().nodes(data=True) if path != "chain"} == {"chain"}


def test_forks_join_again_with_their_labels():
    chain = sequencer(name="chain").parallel({"x": a, "y": b}).branch({"big": (True, c), "rest": (False, a)}).then(b)
    assert flow(chain) == [
        ("chain > parallel 1", "chain > a", "x"),
        ("chain > parallel 1", "chain > b", "y"),
        ("chain > a", "chain > branch 2", ""),
        ("chain > b", "chain > branch 2", ""),
        ("chain > branch 2", "chain > c", "big"),
        ("chain > branch 2", "chain > a #2", "rest"),
        ("chain > c", "chain > b #2", ""),
        ("chain > a #2", "chain > b #2", ""),
    ]
    assert nx.is_directed_acyclic_graph(chain.graph())


def test_conditions_are_nodes_with_yes_and_no():
    def ready(value: int) -> bool:
        return value > 0

    chain = sequencer(name="chain").then_if(ready, a).exit_if(ready).do_until(ready, b)
    assert flow(chain) == [
        ("chain > then_if 1", "chain > a", "yes"),
        ("chain > then_if 1", "chain > exit_if 2", "no"),
        ("chain > a", "chain > exit_if 2", ""),
        ("chain > exit_if 2", "chain > b", "no"),
        ("chain > b", "chain > b", "until ready"),
    ]


def test_background_work_leaves_the_flow_and_is_dashed():
    chain = sequencer(name="chain").then(a).work(b).then(c)
    assert flow(chain) == [("chain > a", "chain > c", "")]
    assert flow(chain, "work") == [("chain > a", "chain > b", "work")]
    picture = chain.to_mermaid()
    assert 'n1 -.->|"work"| n2' in picture
    assert "class n2 background" in picture


def test_routes_rescues_and_tools_hang_on_their_block():
    route = router(name="route", routes=[a, b], choose=lambda: "a", rescue=c)
    chain = sequencer(name="chain").then(route).then(handler(str, name="end"))
    assert flow(chain) == [
        ("chain > route", "chain > route > a", "a"),
        ("chain > route", "chain > route > b", "b"),
        ("chain > route > a", "chain > end", ""),
        ("chain > route > b", "chain > end", ""),
        ("chain > route > c", "chain > end", ""),
    ]
    assert flow(chain, "rescue") == [("chain > route", "chain > route > c", "rescue Exception")]
    speaker = generator(name="speaker", model="m", tools=[a])
    assert flow(speaker, "part") == [("speaker", "speaker > a", "tool a")]


def test_sequencers_are_frames_in_frames():
    inner = sequencer(name="inner").then(a).then(b)
    picture = sequencer(name="outer").then(inner).then(c).to_mermaid()
    assert picture.splitlines() == [
        "flowchart TD",
        '    subgraph n0["outer"]',
        '        subgraph n1["inner"]',
        '            n2["a"]',
        '            n3["b"]',
        "        end",
        '        n4["c"]',
        "    end",
        "    n1 --> n4",
        "    n2 --> n3",
    ]


@pytest.mark.parametrize("name", ['say "hi"', "a|b", "<b>", "end", "`x`", "a]b}", "#35;", "记忆", "line\nbreak", "a;b"])
def test_no_name_breaks_the_picture(name: str):
    lines = sequencer(name="chain").then(handler(str, name=name)).to_mermaid().splitlines()
    node = re.fullmatch(r' +n1\["([^"|<>\[\]{}`\\]*)"\]', lines[2])
    assert node is not None
    codes = re.sub(r"#(\d+);", lambda code: chr(int(code[1])), node[1])
    assert codes == " ".join(name.split())


def test_a_graph_holds_every_block_of_the_tree():
    inner = sequencer(name="inner").work(a).for_each(b)
    root = sequencer(name="root").tap(inner).rescue(c)
    names = {node["name"] for _, node in root.graph().nodes(data=True)}
    assert names >= {block.name for block in root.walk()}
    assert nx.descendants(root.graph(), "root") >= {"root > inner > a", "root > inner > b", "root > c"}
