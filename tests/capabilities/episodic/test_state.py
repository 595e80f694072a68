"""Which observation becomes an episode, and how many episodes leave a full log."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.episodic import DEFAULT_EPISODIC_CONFIG, Episode, EpisodicConfig, qualifies
from capabilities.episodic.state import surplus
from capabilities.vocabulary import Durability
from fabric.errors import ConfigurationError

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_defaults_are_the_documented_ones():
    config = DEFAULT_EPISODIC_CONFIG
    assert (config.scope, config.significance_threshold, config.max_episodes) == ("user", 0.6, 200)


@pytest.mark.parametrize(
    ("durability", "significance", "becomes"),
    [
        ("permanent", 0.6, True),
        ("persistent", 0.6, True),
        ("persistent", 0.59, False),
        ("session", 1.0, False),
        ("transient", 1.0, False),
    ],
)
def test_what_lasts_and_matters_becomes_an_episode(durability: Durability, significance: float, becomes: bool):
    assert qualifies(durability, significance) is becomes


def test_the_threshold_is_an_option():
    assert qualifies("persistent", 0.3, EpisodicConfig(significance_threshold=0.3))
    assert not qualifies("persistent", 0.99, EpisodicConfig(significance_threshold=1))


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 300))
def test_room_is_made_exactly(held: int, offered: int, most: int):
    leaving = surplus(held, offered, EpisodicConfig(max_episodes=most))
    assert 0 <= leaving <= held
    after = held - leaving + offered
    assert after <= most or leaving == held
    assert leaving == 0 or after >= most


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"scope": "session"}, "scope='session'"),
        ({"scope": "moon"}, "scope='moon'"),
        ({"significance_threshold": 1.5}, "significance_threshold=1.5"),
        ({"significance_threshold": -0.1}, "significance_threshold=-0.1"),
        ({"max_episodes": 0}, "max_episodes=0"),
        ({"max_episodes": "many"}, "max_episodes='many'"),
        ({"maxEpisodes": 5}, "maxEpisodes=5"),
    ],
)
def test_an_option_that_cannot_work_is_refused_by_name(options: dict[str, Any], says: str):
    with pytest.raises(ConfigurationError, match="EpisodicConfig") as refused:
        EpisodicConfig(**options)
    assert says in str(refused.value)


def test_times_are_kept_in_utc():
    tokyo = NOON.astimezone(timezone(timedelta(hours=9)))
    made = Episode(id="ep_1", content="x", significance=0.7, encoded_at=tokyo, occurred_at=datetime(2026, 1, 1))
    assert made.encoded_at == NOON
    assert made.encoded_at.tzinfo is UTC
    assert made.occurred_at == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_blank_text_is_no_episode():
    with pytest.raises(ValueError, match="content is blank"):
        Episode(id="ep_1", content=" \n", significance=0.7, encoded_at=NOON)
