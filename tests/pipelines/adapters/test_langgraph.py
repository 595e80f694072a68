"""The LangGraph store: what its interface promises, on a file, for one owner; and a graph that uses it."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langgraph", reason="the extra 'langgraph' is not installed")

from langchain_core.embeddings import Embeddings
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, PutOp, SearchOp

from fabric import Fabric
from fabric.errors import NestedRunError, ScopeError
from fabric.flow.handler import handler
from fabric.testing import FrozenClock
from pipelines import Memory, memory_system
from pipelines.adapters.langgraph import ThoughtFabricStore

FOOD = ("jake", "food")


@pytest.fixture
def store() -> Iterator[ThoughtFabricStore]:
    with ThoughtFabricStore(user="jake", embedder=None) as opened:
        yield opened


def keys(found: Any) -> list[str]:
    return [one.key for one in found]


def test_an_item_outlives_the_process_and_keeps_when_it_was_made(tmp_path: Path):
    clock = FrozenClock()
    value = {"text": "tea", "n": 1.5, "deep": {"list": [1, None, True]}, "日本": "茶"}
    with Fabric(tmp_path / "s.duckdb", clock=clock) as fabric:
        ThoughtFabricStore(fabric, user="jake").put(FOOD, "drink", value)
        made = clock.now()
    clock.advance(days=1)
    with Fabric(tmp_path / "s.duckdb", clock=clock) as fabric:
        store = ThoughtFabricStore(fabric, user="jake")
        item = store.get(FOOD, "drink")
        assert item is not None
        assert (item.value, item.key, item.namespace) == (value, "drink", FOOD)
        store.put(FOOD, "drink", {"text": "coffee"})
        item = store.get(FOOD, "drink")
        assert item is not None
        assert (item.value, item.created_at, item.updated_at) == ({"text": "coffee"}, made, clock.now())


def test_a_namespace_and_a_key_are_never_taken_for_others(store: ThoughtFabricStore):
    places = [(("a", "b"), "c"), (("a",), "b"), (("a", 'b","c'), "d"), (("a", "b", "c"), "d"), (("a#0",), "0#x")]
    for number, (namespace, key) in enumerate(places):
        store.put(namespace, key, {"n": number})
    assert [store.get(*place).value["n"] for place in places] == list(range(len(places)))  # type: ignore[union-attr]
    store.delete(("a", "b"), "c")
    assert [store.get(*place) is None for place in places] == [True, False, False, False, False]


def test_owners_see_only_their_own():
    with Fabric() as fabric:
        jake = ThoughtFabricStore(fabric, user="jake")
        anna = ThoughtFabricStore(fabric, user="anna")
        elsewhere = ThoughtFabricStore(fabric, user="jake", org="acme")
        shared = ThoughtFabricStore(fabric, org="acme")
        jake.put(FOOD, "k", {"of": "jake"})
        shared.put(FOOD, "k", {"of": "acme"})
        for other in (anna, elsewhere):
            assert (other.get(FOOD, "k"), other.search(()), other.list_namespaces()) == (None, [], [])
            assert other.search((), query="jake") == []
            other.delete(FOOD, "k")
        assert [one.search(())[0].value["of"] for one in (jake, shared)] == ["jake", "acme"]


@pytest.mark.parametrize("owner", [{}, {"user": " "}, {"user": "jake", "org": ""}])
def test_a_store_belongs_to_somebody(owner: dict[str, str]):
    with pytest.raises(ScopeError):
        ThoughtFabricStore(**owner)  # type: ignore[arg-type]


def test_forgetting_a_user_forgets_what_graphs_stored():
    with Fabric() as fabric, Memory(fabric, user="jake") as memory:
        store = ThoughtFabricStore(fabric, user="jake")
        store.put(FOOD, "k", {"text": "green tea"})
        exported = fabric.session("s", user="jake").run(memory_system(episodic=True).export_block).output
        assert {"text": "green tea"} in [record.get("value") for record in exported]
        memory.forget(everything=True)
        assert (store.search(()), store.search((), query="tea"), store.list_namespaces()) == ([], [], [])


def test_namespaces_are_listed_while_they_hold_something(store: ThoughtFabricStore):
    for namespace in [("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("z",)]:
        store.put(namespace, "k", {"v": 1}, index=False)
    assert store.list_namespaces(prefix=("a", "*", "c")) == [("a", "b", "c"), ("a", "x", "c")]
    assert store.list_namespaces(suffix=("c",), limit=1, offset=1) == [("a", "x", "c")]
    assert store.list_namespaces(max_depth=2) == [("a", "b"), ("a", "x"), ("z",)]
    assert store.list_namespaces(prefix=("z", "deeper")) == []
    store.delete(("z",), "k")
    assert ("z",) not in store.list_namespaces()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"n": 2}, ["b"]),
        ({"n": {"$ne": 2}}, ["a", "c", "d"]),
        ({"n": {"$gt": 1, "$lte": 3}}, ["b", "c"]),
        ({"n": {"$lt": 2}}, ["a"]),
        ({"n": {"$gte": 2}, "tags": ["x", "y"]}, ["c"]),
        ({"deep": {"k": 1}}, ["d"]),
        ({"deep": {"k": {"$eq": 1}}}, ["d"]),
        ({"missing": None, "n": 1}, ["a"]),
        ({"n": "2"}, []),
        ({"tags": ["x"]}, []),
    ],
)
def test_filters(store: ThoughtFabricStore, wanted: dict[str, Any], found: list[str]):
    store.put(FOOD, "a", {"n": 1})
    store.put(FOOD, "b", {"n": 2})
    store.put(FOOD, "c", {"n": 3, "tags": ["x", "y"]})
    store.put(FOOD, "d", {"n": "many", "deep": {"k": 1, "more": 2}})
    assert keys(store.search(FOOD, filter=wanted)) == found
    assert sorted(keys(store.search(FOOD, filter=wanted, query="many"))) == found


def test_an_unknown_operator_says_which_there_are(store: ThoughtFabricStore):
    store.put(FOOD, "a", {"n": 1})
    with pytest.raises(ValueError, match=r"unknown operator '\$near'.*\$eq.*\$lte"):
        store.search(FOOD, filter={"n": {"$near": 1}})


def test_a_query_finds_by_stems_and_by_meaning():
    with ThoughtFabricStore(user="jake") as store:
        store.put(FOOD, "tea", {"text": "He likes his green tea hot"})
        store.put(FOOD, "bridge", {"text": "He builds bridges in Oslo"})
        store.put(("other",), "tea", {"text": "He likes his green tea hot"})
        best, second = store.search(FOOD, query="building a bridge")
        assert (best.key, second.key) == ("bridge", "tea")
        assert best.score is not None
        assert second.score is not None
        assert 1 >= best.score > second.score >= 0
        assert store.search(FOOD, query="what does he drink?")[0].key == "tea"
        assert keys(store.search(FOOD, query="bridge", limit=1, offset=1)) == ["tea"]
        assert store.search(("nobody",), query="tea") == []


def test_what_is_not_indexed_comes_last_and_has_no_score(store: ThoughtFabricStore):
    store.put(FOOD, "hidden", {"text": "tea"}, index=False)
    store.put(FOOD, "seen", {"text": "tea"})
    store.put(FOOD, "part", {"text": "coffee", "note": "a tea cup"}, index=["note"])
    found = store.search(FOOD, query="tea")
    assert found[-1].key == "hidden"
    assert found[-1].score is None
    assert None not in [one.score for one in found[:-1]]
    store.put(FOOD, "hidden", {"text": "tea"})  # it is now
    assert None not in [result.score for result in store.search(FOOD, query="tea")]


def test_the_best_of_several_fields_counts():
    with ThoughtFabricStore(user="jake", embedder=None, index={"fields": ["parts[*].text"]}) as store:
        store.put(FOOD, "one", {"parts": [{"text": "soup"}, {"text": "tea"}], "text": "bread"})
        store.put(FOOD, "two", {"parts": [{"text": "tea with a lot of milk and sugar"}]})
        assert keys(store.search(FOOD, query="tea")) == ["one", "two"]
        store.put(FOOD, "one", {"parts": [{"text": "soup"}]})  # fewer parts than before
        assert keys(store.search(FOOD, query="tea")) == ["two", "one"]
        assert not store.search(FOOD, query="bread")[0].score


class Colours(Embeddings):
    """Red things and others; a question is asked in another way than a text is embedded."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[1.0, 0.2] if "cherry" in text or "tomato" in text else [0.2, 1.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0] if "red" in text else [0.0, 1.0]


def test_embeddings_of_langchain_give_the_meaning():
    with ThoughtFabricStore(user="jake", index={"dims": 2, "embed": Colours(), "fields": ["text"]}) as store:
        for key in ("lime", "cherry", "kiwi", "tomato"):
            store.put(FOOD, key, {"text": f"one {key}"})
        assert set(keys(store.search(FOOD, query="something red", limit=2))) == {"cherry", "tomato"}
        assert set(keys(store.search(FOOD, query="something else", limit=2))) == {"lime", "kiwi"}


def test_without_vectors_words_decide():
    def broken(texts: list[str]) -> list[list[float]]:
        raise OSError("no such host")

    with ThoughtFabricStore(user="jake", embedder=broken) as store:
        store.put(FOOD, "tea", {"text": "green tea"})
        store.put(FOOD, "soup", {"text": "hot soup"})
        assert store.search(FOOD, query="soup")[0].key == "soup"


def test_items_expire_and_reading_puts_it_off():
    clock = FrozenClock()
    with Fabric(clock=clock) as fabric:
        store = ThoughtFabricStore(fabric, user="jake", ttl={"default_ttl": 10, "refresh_on_read": False})
        store.put(FOOD, "ten", {"text": "tea"})
        store.put(FOOD, "five", {"text": "tea"}, ttl=5)
        store.put(FOOD, "ever", {"text": "tea"}, ttl=None)
        clock.advance(minutes=4)
        assert store.get(FOOD, "five", refresh_ttl=True) is not None
        clock.advance(minutes=4)
        assert keys(store.search(FOOD)) == ["ten", "five", "ever"]
        clock.advance(minutes=2)
        assert keys(store.search(FOOD)) == ["ever"]
        assert keys(store.search(FOOD, query="tea")) == ["ever"]
        assert store.get(FOOD, "ten") is None
        store.put(("gone",), "k", {"v": 1}, ttl=1)
        clock.advance(minutes=1)
        assert store.list_namespaces() == [FOOD]


async def test_async_calls_do_the_same():
    async with Fabric() as fabric:
        store = ThoughtFabricStore(fabric, user="jake", embedder=None)
        await asyncio.gather(*(store.aput(FOOD, str(n), {"text": f"tea {n}"}) for n in range(20)))
        assert len(await store.asearch(FOOD, limit=100)) == 20
        assert (await store.asearch(FOOD, query="tea 7", limit=1))[0].key == "7"
        await store.adelete(FOOD, "7")
        assert await store.aget(FOOD, "7") is None
        assert await store.alist_namespaces() == [FOOD]
        item = store.get(FOOD, "8")  # a plain call in async code works, too
        assert item is not None


def test_a_batch_reads_first_and_the_last_write_of_a_key_counts(store: ThoughtFabricStore):
    put = [PutOp(FOOD, "k", {"v": 1}), PutOp(FOOD, "k", {"v": 2}), GetOp(FOOD, "k"), SearchOp(FOOD)]
    assert store.batch(put) == [None, None, None, []]
    item, gone = store.batch([GetOp(FOOD, "k"), PutOp(FOOD, "k", None)])
    assert item.value == {"v": 2}  # type: ignore[union-attr]
    assert gone is None
    assert store.get(FOOD, "k") is None


def test_a_batch_that_fails_writes_nothing(store: ThoughtFabricStore):
    store.put(FOOD, "k", {"v": 1})
    with pytest.raises(ValueError, match="unknown operator"):
        store.batch([PutOp(FOOD, "k", {"v": 2}), SearchOp(FOOD, filter={"v": {"$x": 1}})])
    assert store.search(FOOD)[0].value == {"v": 1}


def test_many_threads_lose_no_write(store: ThoughtFabricStore):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: store.put(("n", str(n % 3)), str(n), {"text": f"number {n}"}), range(60)))
    assert len(store.search(("n",), limit=100)) == 60
    assert len(store.list_namespaces()) == 3


def test_secrets_are_taken_out_of_texts_wherever_they_stand():
    secret = "sk-abcdefghijklmnopqrstuvwxyz123456"
    value = {"text": f"key {secret}", "deep": [{"k": secret}], "n": 1}
    with ThoughtFabricStore(user="jake") as store:
        store.put(FOOD, "k", value)
        assert secret not in str(store.get(FOOD, "k"))
        store.put(FOOD, "names", {secret: "x", "deep": {f"{secret}0": 1}, "password": "hunter2x9"}, index=["password"])
        found = store.search(FOOD, query="hunter2x9")
        assert not any(one in str([store.get(FOOD, "names"), found]) for one in (secret, "hunter2x9"))
    with Fabric(redact_secrets=False) as fabric:
        open_store = ThoughtFabricStore(fabric, user="jake")
        open_store.put(FOOD, "k", value)
        assert open_store.search(FOOD)[0].value == value


def test_namespaces_are_checked_as_langgraph_checks_them(store: ThoughtFabricStore):
    for wrong in ((), ("a.b",), ("",), ("langgraph", "x")):
        with pytest.raises(InvalidNamespaceError):
            store.put(wrong, "k", {"v": 1})


def test_inside_a_running_block_only_the_async_calls_work(store: ThoughtFabricStore):
    @handler(name="inside")
    async def inside(_: object) -> list[str]:
        with pytest.raises(NestedRunError):
            store.get(FOOD, "k")
        await store.aput(FOOD, "k", {"v": 1})
        return keys(await store.asearch(FOOD))

    assert store.fabric.session("s", user="jake").run(inside).output == ["k"]


def graph(store: ThoughtFabricStore, answers: list[str]) -> Any:
    """Return the graph of LangGraph's guide to memory: recall, answer, remember."""
    model = GenericFakeChatModel(messages=iter([AIMessage(answer) for answer in answers]))

    def call_model(state: MessagesState, config: RunnableConfig, *, store: BaseStore) -> dict[str, Any]:
        namespace = ("memories", config["configurable"]["user_id"])
        said = str(state["messages"][-1].content)
        info = "; ".join(item.value["data"] for item in store.search(namespace, query=said, limit=1))
        if "remember" in said.lower():
            store.put(namespace, str(len(store.search(namespace))), {"data": said})
        answer = model.invoke([{"role": "system", "content": f"You know: {info}"}, *state["messages"]])
        return {"messages": [AIMessage(f"{answer.content} ({info})")]}

    builder = StateGraph(MessagesState)
    builder.add_node(call_model)
    builder.add_edge(START, "call_model")
    return builder.compile(store=store)


def said(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def test_a_graph_remembers_across_threads_and_processes(tmp_path: Path):
    config = {"configurable": {"user_id": "1"}}
    with ThoughtFabricStore(tmp_path / "g.duckdb", user="app") as store:
        first = graph(store, ["Noted."])
        assert first.invoke(said("Remember: my name is Bob"), config)["messages"][-1].content == "Noted. ()"
    with ThoughtFabricStore(tmp_path / "g.duckdb", user="app") as store:
        second = graph(store, ["Bob!", "No idea."])
        answer = second.invoke(said("what is my name?"), config)["messages"][-1].content
        assert answer == "Bob! (Remember: my name is Bob)"
        stranger = second.invoke(said("what is my name?"), {"configurable": {"user_id": "2"}})
        assert stranger["messages"][-1].content == "No idea. ()"


async def test_a_graph_runs_in_async_code(store: ThoughtFabricStore):
    config = {"configurable": {"user_id": "1"}}
    running = graph(store, ["Noted.", "Bob!"])
    await running.ainvoke(said("Remember: my name is Bob"), config)
    answer = (await running.ainvoke(said("my name?"), config))["messages"][-1].content
    assert answer == "Bob! (Remember: my name is Bob)"


async def test_a_store_closes_at_the_end_of_an_async_with(tmp_path: Path):
    async with ThoughtFabricStore(tmp_path / "m.duckdb", user="jake", embedder=None) as store:
        await store.aput(("a",), "k", {"text": "tea"})
    Fabric(tmp_path / "m.duckdb").close()
