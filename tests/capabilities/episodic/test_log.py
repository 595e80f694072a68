"""The log keeps the order of encoding, stays within its limit, and knows what consolidation has seen."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capabilities.episodic import Episode, EpisodeLog, EpisodicConfig, create_episodic_memory_resource
from fabric.flow.resource import Transaction
from fabric.scope import ScopeIds
from fabric.store.duckdb.store import DuckDBStore
from tests.soak import examples

T = TypeVar("T")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
EPISODES = create_episodic_memory_resource()
JAKE = ScopeIds(session="monday", user="jake")


def episode(name: str, *, consolidated: bool = False) -> Episode:
    return Episode(
        id=f"ep_{name}",
        content=f"about {name}",
        significance=0.7,
        encoded_at=NOON,
        session_id="monday",
        consolidated=consolidated,
    )


class Log:
    """One user's log; each call is a transaction of its own."""

    def __init__(self, store: DuckDBStore, ids: ScopeIds, most: int = 200) -> None:
        self.store = store
        self.ids = ids
        self.config = EpisodicConfig(max_episodes=most)

    def do(self, work: Callable[[EpisodeLog], T]) -> T:
        return self.store.transact_sync(
            lambda rows: work(EpisodeLog(Transaction(rows, self.ids), EPISODES, self.config))
        )

    def encode(self, *names: str) -> list[str]:
        _, evicted = self.do(lambda log: log.encode([episode(name) for name in names]))
        return [episode.id.removeprefix("ep_") for episode in evicted]

    def mark(self, *names: str) -> int:
        return self.do(lambda log: log.mark_consolidated(f"ep_{name}" for name in names))

    def newest_first(self) -> str:
        return "".join(episode.id.removeprefix("ep_") for episode in self.do(lambda log: log.all()))


@pytest.fixture
def store() -> Iterator[DuckDBStore]:
    opened = DuckDBStore(":memory:")
    opened.open()
    opened.define(EPISODES.table)
    yield opened
    opened.close()


def test_recent_goes_by_the_order_of_encoding_even_within_one_moment(store: DuckDBStore):
    log = Log(store, JAKE)
    log.encode("a", "b")
    log.encode("c")
    assert [episode.id for episode in log.do(lambda log: log.recent(2))] == ["ep_c", "ep_b"]
    assert log.newest_first() == "cba"
    assert [episode.sequence for episode in log.do(lambda log: log.all())] == [3, 2, 1]


def test_recent_means_ten(store: DuckDBStore):
    log = Log(store, JAKE)
    log.encode(*"abcdefghijkl")
    assert len(log.do(lambda log: log.recent())) == 10


def test_an_empty_log_has_nothing(store: DuckDBStore):
    log = Log(store, JAKE)
    assert log.do(lambda log: (log.recent(), log.all(), log.unconsolidated(), log.count(), log.last_sequence())) == (
        [],
        [],
        [],
        0,
        0,
    )
    assert log.do(lambda log: log.encode([])) == ([], [])


def test_an_episode_comes_back_as_it_was_written(store: DuckDBStore):
    log = Log(store, JAKE)
    offered = episode("a").model_copy(update={"content": "a\x00b \ud83d 👩\u200d👩\u200d👧", "occurred_at": NOON})
    written, _ = log.do(lambda log: log.encode([offered]))
    assert written == [offered.model_copy(update={"sequence": 1})]
    assert log.do(lambda log: log.all()) == written


def test_consolidation_sees_each_episode_once_and_oldest_first(store: DuckDBStore):
    log = Log(store, JAKE)
    log.encode("a", "b", "c")
    assert [episode.id for episode in log.do(lambda log: log.unconsolidated())] == ["ep_a", "ep_b", "ep_c"]
    assert log.mark("b", "b", "unknown") == 1
    assert log.mark("b") == 0
    assert [episode.id for episode in log.do(lambda log: log.unconsolidated())] == ["ep_a", "ep_c"]
    assert log.newest_first() == "cba"


def test_a_full_log_lets_the_oldest_go(store: DuckDBStore):
    log = Log(store, JAKE, most=3)
    assert log.encode("a", "b", "c") == []
    assert log.encode("d") == ["a"]
    assert log.newest_first() == "dcb"


def test_consolidated_episodes_go_before_older_ones(store: DuckDBStore):
    log = Log(store, JAKE, most=4)
    log.encode("a", "b", "c", "d")
    log.mark("b", "d")
    assert log.encode("e") == ["b"]
    assert log.encode("f", "g") == ["d", "a"]
    assert log.newest_first() == "gfec"


def test_of_more_than_fits_the_last_stay(store: DuckDBStore):
    log = Log(store, JAKE, most=2)
    log.encode("a")
    assert log.encode("b", "c", "d") == ["a", "b"]
    assert log.newest_first() == "dc"


def test_a_lowered_limit_is_kept_by_the_next_write(store: DuckDBStore):
    Log(store, JAKE).encode(*"abcdef")
    log = Log(store, JAKE, most=2)
    assert log.encode("g") == list("abcde")
    assert log.newest_first() == "gf"


def test_the_order_goes_on_after_eviction(store: DuckDBStore):
    log = Log(store, JAKE, most=2)
    log.encode("a", "b")
    log.encode("c")
    assert log.do(lambda log: log.last_sequence()) == 3


def test_two_users_keep_separate_logs(store: DuckDBStore):
    jake, ann = Log(store, JAKE, most=2), Log(store, ScopeIds(session="monday", user="ann"), most=2)
    jake.encode("a", "b")
    assert ann.encode("a") == []
    assert ann.mark("b") == 0
    assert jake.encode("c") == ["a"]
    assert (jake.newest_first(), ann.newest_first()) == ("cb", "a")


def test_sessions_of_one_user_share_a_log(store: DuckDBStore):
    Log(store, JAKE).encode("a")
    tuesday = Log(store, ScopeIds(session="tuesday", user="jake"))
    tuesday.encode("b")
    assert tuesday.newest_first() == "ba"


numbers = count()
steps = st.lists(st.one_of(st.integers(1, 4), st.lists(st.integers(0, 20), max_size=4)), max_size=12)


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(steps, st.integers(1, 5))
def test_any_history_leaves_the_log_a_plain_list_would_be(
    store: DuckDBStore, history: list[int | list[int]], most: int
):
    user = f"user{next(numbers)}"
    log = Log(store, ScopeIds(session="monday", user=user), most)
    kept: list[list[object]] = []  # [number, consolidated], oldest first
    made = 0
    for step in history:
        if isinstance(step, list):
            log.mark(*(f"{user}-{number}" for number in step))
            kept = [[number, seen or number in step] for number, seen in kept]
            continue
        names = range(made + 1, made + step + 1)
        made += step
        log.encode(*(f"{user}-{number}" for number in names))
        while kept and len(kept) + step > most:
            kept.remove(next((one for one in kept if one[1]), kept[0]))
        kept = [*kept, *([number, False] for number in names)][-most:]
    found = log.do(lambda log: log.all())
    assert [[episode.sequence, episode.consolidated] for episode in reversed(found)] == kept
    assert len({episode.id for episode in found}) == len(found)
