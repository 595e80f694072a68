"""Whose traces they are: scopes come from the session, and nothing leaks from one to another."""

import pytest

from blocks.forgetting.forget import Forget
from blocks.tools import memory_tools
from capabilities.traces import TraceMemory
from capabilities.traces.tables import ALL_TABLES, place_of, places, views
from fabric.flow.context import Context
from fabric.flow.handler import handler
from fabric.flow.resource import Transaction
from fabric.scope import ScopeIds
from fabric.testing import ScriptedModel
from pipelines import memory_system

from .hosting import tools

EVERYWHERE = ("thread", "user", "persona", "organization")


def test_thread_is_the_session_user_the_user_persona_the_user_with_the_agent_organization_the_org():
    with tools(session="monday", user="jake", agent="nova", org="acme") as use:
        for scope in EVERYWHERE:
            use.add(f"tea of {scope}", scope=scope)
        seen = {
            "another session": use.of(session="tuesday", user="jake", agent="nova", org="acme"),
            "another agent": use.of(session="monday", user="jake", agent="hal", org="acme"),
            "no agent": use.of(session="monday", user="jake", org="acme"),
            "another user": use.of(session="monday", user="ana", agent="nova", org="acme"),
            "another org": use.of(session="monday", user="jake", agent="nova", org="umbrella"),
        }
        assert {name: {one.removeprefix("tea of ") for one in other.found("tea")} for name, other in seen.items()} == {
            "another session": {"user", "persona", "organization"},
            "another agent": {"thread", "user", "organization"},
            "no agent": {"thread", "user", "organization"},
            "another user": {"organization"},
            "another org": set(),
        }


@pytest.mark.parametrize(
    ("scope", "ids", "missing"),
    [
        ("user", {}, "user="),
        ("persona", {"user": "jake"}, "agent="),
        ("persona", {"agent": "nova"}, "user="),
        ("organization", {"user": "jake"}, "org="),
    ],
)
def test_a_scope_whose_id_the_session_lacks_is_refused_with_the_name_of_the_id(
    scope: str, ids: dict[str, str], missing: str
):
    with tools(session="monday", **ids) as use:
        assert missing in use.refused("add", content="tea", scope=scope)
        assert missing in use.refused("search", query="tea", scope=scope)


def test_a_session_without_a_user_has_its_thread_alone():
    with tools(session="monday") as use:
        use.add("my tea", scope="thread")
        use.of(session="monday", user="jake").add("the tea of Jake")
        use.of(session="tuesday").add("another tea", scope="thread")
        assert use.found("tea") == ["my tea"]


def test_no_argument_names_whose_memory_it_is():
    with tools() as use:
        for name in ("user", "user_id", "scope_id", "agent", "session"):
            assert f"{name}: Extra inputs" in use.refused("search", query="tea", **{name: "ana"})


def test_an_id_of_somebody_else_is_unknown_to_every_tool():
    with tools(session="monday", user="jake", agent="nova") as use:
        ids = [
            use.add("tea one"),
            use.add("tea two"),
            use.add("tea three", scope="persona"),
            use.add("t", scope="thread"),
        ]
        for other in (use.of(session="tuesday", user="ana", agent="nova"), use.of(user="eve", agent="hal")):
            for record_id in ids:
                assert other("update", trace_id=record_id, content="mine now") == {"updated": False}
                assert other("delete", trace_id=record_id) == {"deleted": False}
                assert other.within(lambda traces, _, one=record_id: traces.get(one)) is None
                assert not other.within(lambda traces, _, one=record_id: traces.erase(one))
                assert not other.within(lambda traces, _, one=record_id: traces.feedback(one, "used", "tea?"))
            assert "there is no trace" in other.refused("merge", trace_ids=ids)
        hal = use.of(session="monday", user="jake", agent="hal")
        assert hal("delete", trace_id=ids[2]) == {"deleted": False}
        assert {use.trace(record_id).content for record_id in ids} == {"tea one", "tea two", "tea three", "t"}


def test_the_same_text_of_two_users_and_agents_is_two_traces_and_stays_two_after_reflection():
    with tools(session="monday", user="jake", agent="nova") as use:
        others = [
            use.of(session="monday", user=user, agent=agent) for user, agent in (("ana", "nova"), ("jake", "hal"))
        ]
        ids = {one.add("I like tea", scope=scope) for one in (use, *others) for scope in ("user", "persona")}
        assert len(ids) == 5  # the user's own trace is the same for both agents
        for one in (use, *others):
            one("reflect")
            assert one.found("tea") == ["I like tea", "I like tea"]


def test_a_reflection_touches_what_its_own_session_sees_and_nothing_else():
    async def put(traces: TraceMemory, ctx: Context) -> str:
        trace = (await traces.add("faded tea", scope="persona")).trace
        place = place_of("persona", ctx.ids)
        await ctx.transact(lambda tx: tx.put(place.tables.traces, [trace.model_copy(update={"strength": 0.01})]))
        return trace.id

    with tools(session="monday", user="jake", agent="nova") as use:
        hal, ana = use.of(user="jake", agent="hal"), use.of(user="ana", agent="nova")
        mine, his, hers = use.within(put), hal.within(put), ana.within(put)
        assert use("reflect")["pruned"] == 1
        assert (use.trace(mine).deleted, hal.trace(his).deleted, ana.trace(hers).deleted) == (True, False, False)


def test_an_insight_from_traces_of_a_persona_belongs_to_the_persona():
    model = ScriptedModel(['{"insight": "Nova and Jake share tea."}'])
    with tools(memory_tools("m", embedder=None), models=model, session="monday", user="jake", agent="nova") as use:
        ids = [use.add(f"tea {number}", scope="persona" if number == 3 else "user") for number in range(5)]
        for record_id in ids:
            use.within(lambda traces, _, one=record_id: traces.feedback(one, "used", "tea?"))
        assert use("reflect")["derived"] == 1
        assert use.found("share", scope="persona") == ["Nova and Jake share tea."]
        assert use.of(session="monday", user="jake", agent="hal").found("share") == []


def test_erasing_a_user_erases_traces_edges_feedback_and_the_log_and_nobody_elses():
    forget = memory_system(embedder=None).forget_block

    @handler(name="count")
    async def count(_: object, ctx: Context) -> dict[str, int]:
        def work(tx: Transaction) -> dict[str, int]:
            return {
                one.key: tx.count(one)
                for view in views(tx.ids)
                for one in (view.tables.traces, view.tables.edges, view.tables.feedback, view.tables.log)
            }

        return await ctx.transact(work)

    with tools(session="monday", user="jake", agent="nova", org="acme") as use:
        ana = use.of(session="monday", user="ana", agent="nova", org="acme")
        for one in (use, ana):
            for scope in ("user", "persona", "thread"):
                ids = [one.add(f"tea {number} of {scope}", scope=scope) for number in range(2)]
                for trace in ids:
                    one.within(lambda traces, _, trace=trace: traces.feedback(trace, "used", "tea?"))
            one("reflect")
        use.add("tea of all, says jake", scope="organization")
        ana.add("tea of all, says ana", scope="organization")
        fabric = use.host.fabric
        jakes, anas = fabric.session(**use.ids), fabric.session(**ana.ids)
        held, before = jakes.run(count).output, anas.run(count).output
        assert {key for key, number in held.items() if not number} == {
            "trace_edges_organization",
            "trace_feedback_organization",
        }
        jakes.run(forget, Forget(scope="user"))
        left = jakes.run(count).output
        assert {key: number for key, number in left.items() if number and "organization" not in key} == {}
        after = anas.run(count).output
        assert {key: after[key] for key in after if "organization" not in key} == {
            key: before[key] for key in before if "organization" not in key
        }
        assert use.found("tea") == ["tea of all, says ana"]  # what rests on what jake alone said is gone there too
        assert len(ana.found("tea", limit=20)) == 7


def test_erasing_one_trace_leaves_nothing_of_it():
    with tools() as use:
        one, other = use.add("secret tea"), use.add("other tea")
        for trace in (one, other):
            use.within(lambda traces, _, trace=trace: traces.feedback(trace, "used", "tea?"))
        use("reflect")
        assert use.within(lambda traces, _: traces.erase(one))
        assert not use.within(lambda traces, _: traces.erase(one))
        assert use.within(lambda traces, _: traces.get(one)) is None
        tables = ALL_TABLES["user"]
        held = use.within(
            lambda _, ctx: ctx.transact(
                lambda tx: [
                    row.model_dump_json()
                    for table in (tables.traces, tables.edges, tables.feedback)
                    for row in tx.find(table)
                ]
            )
        )
        assert held
        assert not [row for row in held if one in row or "secret" in row]


def test_places_and_views_are_those_of_the_ids():
    ids = ScopeIds(session="monday", user="jake", agent="nova", org="acme")
    assert [place.scope for place in places(ids)] == list(EVERYWHERE)
    assert [(view.tables.owner, set(view.personas)) for view in views(ids)] == [
        ("session", {""}),
        ("user", {"", "nova"}),
        ("org", {""}),
    ]
