"""Many runs on one mind at the same time: on threads, of two agents, of two users."""

import asyncio
import threading
from pathlib import Path
from typing import Any

from capabilities.mind import InMemoryProvider, Mind, MindProvider, StoreProvider, mind
from fabric import Context, Fabric, handler
from fabric.errors import RefusedError

THREADS = 16
SHARED = "mind/shared"


def on_threads(work: Any) -> list[BaseException]:
    """Call ``work`` with 0, 1, ... on as many threads, which begin together, and return what went wrong."""
    errors: list[BaseException] = []
    begin = threading.Barrier(THREADS, timeout=60)

    def one(number: int) -> None:
        begin.wait()
        try:
            work(number)
        except BaseException as error:  # told to the test
            errors.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def agent(name: str, work: Any, provider: MindProvider | None = None, **options: Any) -> Any:
    capability = mind(None, provider=provider, namespace=SHARED, **options)
    return handler(lambda value, ctx: work(value, ctx.cap.mind), name=name, uses=[capability])


async def write(number: int, mind: Mind) -> bool:
    await mind.reflect(f"Note {number}")
    await mind.believe(f"Person{number} likes tea", tags=[f"t{number}"])
    try:
        await mind.set_goal(f"Goal {number}")
        await mind.reflect(f"Rule {number}", pin=True)
    except RefusedError:
        return False
    return True


async def look(_: object, mind: Mind) -> Any:
    return await mind.entries(), await mind.status()


def check(entries: Any, status: Any, runs: int) -> None:
    said = [entry.text for entry in entries]
    assert len(said) == len(set(said))
    assert {f"Note {number}" for number in range(runs)} <= set(said), "a reflection was lost"
    assert {f"Person{number} likes tea" for number in range(runs)} <= set(said), "a belief was lost"
    assert (status.active_goals, status.pinned_reflections, status.drafts, status.failed) == (10, 10, 0, ())


def test_sixteen_threads_on_one_mind_keep_the_caps_and_lose_nothing(tmp_path: Path):
    with Fabric(tmp_path / "mind.duckdb") as fabric:
        block = agent("writer", write)
        assert on_threads(lambda n: fabric.session(f"s{n}", user="ann").run(block, n)) == []
        check(*fabric.session("s", user="ann").run(agent("look", look)).output, THREADS)


def test_two_agents_share_a_mind_by_sharing_its_namespace_and_keep_its_caps_together():
    for make in (InMemoryProvider, StoreProvider):
        provider = make()
        with Fabric(":memory:") as fabric:
            blocks = [agent("one", write, provider), agent("two", write, provider)]
            assert on_threads(lambda n, made=blocks: fabric.session(f"s{n}", user="ann").run(made[n % 2], n)) == []
            check(*fabric.session("s", user="ann").run(agent("look", look, provider)).output, THREADS)


def test_two_users_on_one_mind_of_a_project_keep_its_caps_together_and_nobody_elses():
    with Fabric(":memory:") as fabric:
        block = agent("writer", write, scope="project")

        def session(number: int, **more: str) -> Any:
            who = {"user": ("ann", "bob")[number % 2], "project": "p", **more}
            return fabric.session(f"s{number}", **who)

        assert on_threads(lambda n: session(n).run(block, n)) == []
        seen = agent("look", look, scope="project")
        check(*session(0).run(seen).output, THREADS)
        assert session(0, project="other").run(seen).output[0] == []
        assert session(0).run(agent("look", look)).output[0] == [], "what a project holds is not a user's"


def test_two_users_at_once_never_meet_each_others_mind():
    with Fabric(":memory:") as fabric:

        async def mine(number: int, mind: Mind) -> list[str]:
            name = ("Ann", "Bob")[number % 2]
            await mind.reflect(f"{name} {number}")
            await mind.believe(f"{name} likes tea")
            found = await mind.recall("likes tea", limit=50, threshold=0)
            return [result.content for result in found] + [await mind.header()]

        block = agent("writer", mine)
        seen: dict[int, list[str]] = {}

        def run(number: int) -> None:
            session = fabric.session(f"s{number}", user=("ann", "bob")[number % 2])
            seen[number] = session.run(block, number).output

        assert on_threads(run) == []
        for number, said in seen.items():
            assert not any(("Bob", "Ann")[number % 2] in message for message in said)
        for place, user in enumerate(("ann", "bob")):
            entries, _ = fabric.session("s", user=user).run(agent("look", look)).output
            name = ("Ann", "Bob")[place]
            assert sorted(entry.text for entry in entries) == sorted(
                [f"{name} likes tea", *(f"{name} {number}" for number in range(place, THREADS, 2))]
            )


def test_updates_of_one_goal_by_many_runs_at_once_are_all_kept():
    with Fabric(":memory:") as fabric:
        made = fabric.session("s", user="ann").run(agent("first", lambda _, held: held.set_goal("Drink tea"))).output
        note = agent("writer", lambda n, held: held.update_goal(made.id, progress=f"cup {n}"))
        assert on_threads(lambda n: fabric.session(f"s{n}", user="ann").run(note, n)) == []
        (goal,), _ = fabric.session("s", user="ann").run(agent("look", look)).output
        assert sorted(goal.progress) == sorted(f"cup {number}" for number in range(THREADS))


async def test_two_runs_that_complete_one_goal_at_once_complete_it_once():
    async with Fabric(":memory:") as fabric:

        async def set_one(ctx: Context) -> Any:
            return await ctx.cap.mind.set_goal("Drink tea")

        uses = [mind(None, namespace=SHARED)]
        made = (await fabric.session("s", user="ann").arun(handler(set_one, name="first", uses=uses))).output
        complete = agent("writer", lambda n, held: held.complete_goal(made.id, outcome=f"by {n}"))
        done = await asyncio.gather(
            *(fabric.session(f"s{n}", user="ann").arun(complete, n) for n in range(8)), return_exceptions=True
        )
        assert [isinstance(one, RefusedError) for one in done].count(False) == 1
