"""What a working entry may hold, and which limits are refused before anything runs."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.working import DEFAULT_WORKING_MEMORY_CONFIG, DecayConfig, WorkingEntry, WorkingMemoryConfig
from fabric.errors import ConfigurationError


def test_the_defaults_are_the_documented_ones():
    config = DEFAULT_WORKING_MEMORY_CONFIG
    assert (config.capacity, config.max_pinned_slots) == (7, 2)
    assert (config.decay.strategy, config.decay.rate) == ("power-law", 0.5)


def test_options_are_given_as_plain_values():
    config = WorkingMemoryConfig.of({"capacity": 10, "decay": {"strategy": "exponential", "rate": 0.3}})
    assert config == WorkingMemoryConfig(capacity=10, decay=DecayConfig(strategy="exponential", rate=0.3))
    assert WorkingMemoryConfig.of({"decay": {"strategy": "none"}}) == WorkingMemoryConfig(
        decay=DecayConfig(strategy="none")
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"capacity": 0}, "capacity=0"),
        ({"capacity": -3}, "capacity=-3"),
        ({"capacity": 2.5}, "capacity=2.5"),
        ({"capacity": True}, "capacity=True"),
        ({"capacity": "7"}, "capacity='7'"),
        ({"capacity": None}, "capacity=None"),
        ({"max_pinned_slots": -1}, "max_pinned_slots=-1"),
        ({"max_pinned_slots": 7}, "pins would fill working memory; set max_pinned_slots to at most 6"),
        ({"capacity": 2, "max_pinned_slots": 2}, "max_pinned_slots is 2 and capacity is 2"),
        ({"decay": {"rate": -0.1}}, "rate=-0.1"),
        ({"decay": {"rate": math.nan}}, "rate=nan"),
        ({"decay": {"rate": math.inf}}, "rate=inf"),
        ({"decay": {"strategy": "linear"}}, "strategy='linear'"),
        ({"decay": "exponential"}, "decay='exponential'"),
        ({"capacty": 7}, "capacty=7"),
    ],
)
def test_a_limit_that_cannot_work_is_refused_by_name(options: dict[str, Any], says: str):
    with pytest.raises(ConfigurationError) as refused:
        WorkingMemoryConfig(**options)
    assert says in str(refused.value)
    assert "WorkingMemoryConfig" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_as_few_as_one_entry_without_pins_can_work():
    assert WorkingMemoryConfig(capacity=1, max_pinned_slots=0).capacity == 1


@pytest.mark.parametrize("importance", [-0.1, 1.1, 5, math.nan, math.inf, "high", None])
def test_importance_is_a_share(importance: object):
    with pytest.raises(ValueError, match="importance"):
        WorkingEntry(id="wm_1", content="x", importance=importance)  # type: ignore[arg-type]


@pytest.mark.parametrize("content", ["", "  ", "\n\t"])
def test_a_blank_text_is_nothing_to_remember(content: str):
    with pytest.raises(ValueError, match="content is blank"):
        WorkingEntry(id="wm_1", content=content, importance=0.5)


@given(st.text(st.characters(codec=None, exclude_categories=()), min_size=1).filter(lambda text: bool(text.strip())))
def test_text_of_any_kind_comes_back_as_it_was(content: str):
    entry = WorkingEntry(id="wm_1", content=content, importance=0.5)
    assert WorkingEntry.model_validate(entry.model_dump(mode="json")).content == content


@pytest.mark.parametrize(
    "content", ["a\x00b", "half \ud83d", "👩\u200d👩\u200d👧", "\u202eright to left", "x" * 1_000_000]
)
def test_so_does_text_that_breaks_other_programs(content: str):
    entry = WorkingEntry(id="wm_1", content=content, importance=0.5)
    assert WorkingEntry.model_validate(entry.model_dump(mode="json")).content == content


def test_subjects_are_spelled_one_way():
    assert WorkingEntry(id="wm_1", content="x", importance=0.5, subject=" Jennifer ").subject == "jennifer"
