"""Mistakes in the wiring are found while a pipeline is built, and a tree of blocks knows what it needs."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import (
    BaseModel,
)

from fabric import Collection, Document, define_capability, handler, router, sequencer
from fabric.errors import CapabilityError, DuplicateNameError, ResourceConflictError, SchemaMismatchError, WiringError
from fabric.flow.block import Block
from fabric.flow.capability import Capability
from fabric.flow.wiring import survey
from fabric.testing import run_block


class Animal(BaseModel):
    name: str


def make(name: str, takes: Any = None, gives: Any = None) -> Block[Any, Any]:
    return handler(lambda value: value, name=name, input_schema=takes, output_schema=gives)


def test_neighbours_that_cannot_fit_are_refused_with_names_and_types():
    chain = sequencer(name="chain").then(make("read", gives=int))
    with pytest.raises(SchemaMismatchError, match="'read' gives int, but 'print' takes str"):
        chain.then(make("print", takes=str))


@pytest.mark.parametrize(
    "add",
    [
        lambda chain, block: chain.then(block),
        lambda chain, block: chain.then_if(len, block),
        lambda chain, block: chain.parallel({"a": block}),
        lambda chain, block: chain.for_each(block),
        lambda chain, block: chain.do_until(True, block),
        lambda chain, block: chain.branch({"a": (True, block)}),
        lambda chain, block: chain.tap(block),
        lambda chain, block: chain.work(block),
        lambda chain, block: chain.then(sequencer(name="inner").then(block)),
        lambda chain, block: chain.map(lambda value: value).then(chain.renamed("again")).tap(block),
        lambda chain, block: chain.exit_if(True).tap(block),
    ],
)
def test_every_method_checks_the_type(add: Callable[[Any, Any], Any]):
    chain = sequencer(name="chain", input_schema=list[Animal])
    wanted = list[str] if "for_each" not in add.__code__.co_names else str
    with pytest.raises(SchemaMismatchError):
        add(chain, make("taker", takes=wanted))
    add(chain, make("taker", takes=list[Animal] if wanted is not str else Animal))


def test_a_connector_stands_between_types_that_do_not_fit():
    def text_of(number: int) -> str:
        return str(number)

    def length_of(text: str) -> int:
        return len(text)

    chain = sequencer(name="chain").then(make("read", gives=int))
    chain.then(text_of, make("print", takes=str))
    chain.map(lambda number: number).then(make("print", takes=str))
    with pytest.raises(SchemaMismatchError, match="'read' gives int, but the function 'length_of' takes str"):
        chain.then(length_of, make("print", takes=str))


def test_annotations_of_handlers_are_checked_and_coroutines_count_as_what_they_give():
    async def count(text: str) -> int:
        return len(text)

    def later(text: str) -> Awaitable[int]:
        return count(text)

    def shout(text: str) -> str:
        return text.upper()

    for fn in (count, later):
        with pytest.raises(SchemaMismatchError):
            sequencer(name="chain").then(fn).then(shout)
    sequencer(name="chain").then(shout).then(count).then(lambda number: number)


def test_the_types_of_branches_and_rescues_join():
    chain = sequencer(name="chain").branch({"a": (len, make("a", gives=int)), "b": (True, make("b", gives=list[int]))})
    chain.then(make("number", takes=int))
    with pytest.raises(SchemaMismatchError):
        chain.then(make("model", takes=Animal))
    saved = make("risky", gives=None).connect_input(lambda value: value)
    rescued = sequencer(name="inner").then(make("x", gives=int)).rescue(make("text", gives=str))
    sequencer(name="outer").then(rescued).then(make("takes text", takes=str))
    sequencer(name="outer").then(saved).then(make("takes text", takes=str))


def test_an_output_schema_that_the_chain_can_never_fill_is_found():
    chain = sequencer(name="chain", output_schema=str).then(make("read", gives=int))
    with pytest.raises(SchemaMismatchError, match="'chain' gives int, but its output_schema is str"):
        sequencer(name="outer").then(chain)
    with pytest.raises(SchemaMismatchError):
        survey(chain)


def test_two_different_blocks_with_one_name_are_refused_anywhere_in_the_tree():
    inner = sequencer(name="inner").then(make("same"))
    with pytest.raises(DuplicateNameError, match="two different blocks are named 'same'"):
        sequencer(name="outer").then(inner).then(make("same"))
    with pytest.raises(DuplicateNameError):
        sequencer(name="outer").then(make("same")).then(inner)
    with pytest.raises(DuplicateNameError):
        sequencer(name="outer").parallel({"a": make("same"), "b": make("same")})
    with pytest.raises(DuplicateNameError):
        sequencer(name="outer").then(make("same")).rescue(make("same"))
    with pytest.raises(DuplicateNameError):
        sequencer(name="outer", rescue=make("same")).then(make("same"))
    with pytest.raises(DuplicateNameError):
        router(name="route", routes=[make("same"), make("same")], choose=lambda: "same")


def test_one_block_twice_is_fine_and_so_is_a_container_named_like_its_content():
    same = make("same")
    inner = sequencer(name="inner").then(same)
    outer = sequencer(name="outer").then(inner).then(same).then(inner).tap(inner)
    named = sequencer(name="chat").then(make("chat"))
    sequencer(name="all").then(outer).then(named).then(named)
    with pytest.raises(DuplicateNameError):
        sequencer(name="all").then(named).then(make("chat"))


def test_a_function_and_a_block_of_one_name_do_not_stand_side_by_side():
    def clean(text: str) -> str:
        return text

    with pytest.raises(DuplicateNameError):
        sequencer(name="chain").then(clean).then(make("clean"))
    chain = sequencer(name="chain").then(make("clean")).then(clean)
    assert [block.name for _, block in chain.children()] == ["clean", "clean-2"]
    sequencer(name="outer").then(sequencer(name="inner").then(clean)).then(clean)


class Note(BaseModel):
    id: str = ""
    text: str = ""


def test_one_resource_key_with_two_definitions_is_refused_naming_both_places():
    one, other = Collection("notes", Note, "user"), Collection("notes", Note, "session")
    first = handler(lambda: 1, name="first", uses=[one])
    second = handler(lambda: 2, name="second", uses=[define_capability("noting", resources=[other])])
    inner = sequencer(name="inner").work(second)
    with pytest.raises(ResourceConflictError, match="declared by first, another by second"):
        sequencer(name="outer").then(first).then(inner)
    with pytest.raises(ResourceConflictError):
        sequencer(name="outer", uses=[one]).then(inner)
    with pytest.raises(ResourceConflictError):
        router(name="route", routes=[first, second], choose=lambda: "first")
    same = handler(lambda: 3, name="third", uses=[Collection("notes", Note, "user")])
    assert survey(sequencer(name="outer").then(first).then(same)).resources["notes"] is one


def test_two_capabilities_with_one_name_are_refused_naming_both_places():
    blocks = [handler(lambda: 1, name=name, uses=[define_capability("noting")]) for name in ("first", "second")]
    with pytest.raises(CapabilityError, match="one declared by first, another by second"):
        sequencer(name="outer").then(blocks[0]).tap(sequencer(name="inner").then(blocks[1]))


def test_one_capability_with_other_presets_is_one_capability():
    noting: Capability[Any] = define_capability("noting", context=["hello"], resources=[Document("note", Note, "user")])
    plain = handler(lambda: 1, name="plain", uses=[noting.presets(context=False)])
    loud = handler(lambda: 1, name="loud", uses=[noting.presets(context=True)])
    assert set(survey(sequencer(name="outer", uses=[noting]).then(plain).then(loud)).resources) == {"note"}


def test_a_survey_knows_all_resources_and_the_paths_of_all_work():
    deep = handler(lambda: 1, name="deep", uses=[Document("deep", Note, "user")])
    inner = sequencer(name="inner").work(deep).then(make("x"))
    route = router(name="route", routes=[inner, make("y")], choose=lambda: "y")
    job = sequencer(name="job").then(route).work(lambda: 1, name="named")
    root = sequencer(name="root", uses=[Document("own", Note, "user")]).work(job).then(inner).rescue(make("saved"))
    found = survey(root)
    assert set(found.resources) == {"deep", "own"}
    assert set(found.work) == {
        "root > job",
        "root > job > route > inner > deep",
        "root > job > named",
        "root > inner > deep",
    }
    assert found.work["root > inner > deep"] is deep
    assert survey(root) is found
    assert set(survey(root.renamed("other")).work) == {path.replace("root", "other", 1) for path in found.work}
    assert survey(deep).work == {}


async def test_the_paths_of_a_survey_are_those_that_the_work_sees():
    seen: list[str] = []
    deep = handler(lambda _value, ctx: seen.append(ctx.path), name="deep")
    root = sequencer(name="root").then(sequencer(name="inner").work(deep)).work(sequencer(name="job").work(deep))
    await run_block(root, 1)
    assert set(seen) == set(survey(root).work) - {"root > job"}


def test_a_chain_may_be_long():
    chain = sequencer(name="long")
    for number in range(1000):
        chain = chain.then(make(f"block {number}"))
    assert len(chain.children()) == 1000
    with pytest.raises(DuplicateNameError):
        chain.then(make("block 0"))


def test_wiring_errors_are_one_family():
    for error in (SchemaMismatchError, DuplicateNameError, ResourceConflictError, CapabilityError):
        assert issubclass(error, WiringError)
