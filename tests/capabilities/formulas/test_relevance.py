"""Recall ranks facts, what is present and what happened on one scale from 0 to 1."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.relevance import episodic, semantic, working

shares = st.floats(0, 1)
counts = st.integers(0, 10_000)


@pytest.mark.parametrize(
    ("confidence", "count", "relevance"), [(0.8, 0, 0.4), (0.8, 5, 0.6), (0.8, 10, 0.8), (1, 1, 0.55)]
)
def test_a_fact_counts_by_confidence_and_how_often_it_was_confirmed(confidence: float, count: int, relevance: float):
    assert semantic(confidence, count) == pytest.approx(relevance)


@given(shares, st.integers(10, 10_000))
def test_the_tenth_confirmation_is_the_last_that_matters(confidence: float, count: int):
    assert semantic(confidence, count) == semantic(confidence, 10) == confidence


@given(shares)
def test_what_is_present_is_as_relevant_as_it_is_salient(salience: float):
    assert working(salience) == salience


@pytest.mark.parametrize(("place", "relevance"), [(1, 0.5), (2, 0.6), (4, 0.8)])
def test_an_older_episode_counts_less(place: int, relevance: float):
    assert episodic(0.8, place, 4) == pytest.approx(relevance)


@given(shares, counts, counts)
def test_an_episode_keeps_at_least_half_of_its_significance(significance: float, one: int, other: int):
    place, last = sorted((one, other))
    value = episodic(significance, place, last)
    assert significance / 2 <= value <= significance
    assert episodic(significance, last, last) == significance


def test_an_episode_newer_than_the_newest_counts_as_the_newest():
    assert episodic(0.8, 9, 4) == 0.8
    assert episodic(0.8, 0, 0) == 0.8


@given(st.floats(allow_nan=False), counts)
def test_relevance_is_a_share_whatever_comes_in(value: float, count: int):
    for relevance in (
        semantic(value, count),
        working(value),
        episodic(value, count, 7),
    ):
        assert 0.0 <= relevance <= 1.0


def test_what_is_not_a_number_is_refused_by_name():
    with pytest.raises(ValueError, match="confidence is nan"):
        semantic(math.nan, 1)
    with pytest.raises(ValueError, match="reinforcements is -1"):
        semantic(0.5, -1)
    with pytest.raises(ValueError, match="salience is nan"):
        working(math.nan)
    with pytest.raises(ValueError, match="place is inf"):
        episodic(0.5, math.inf, 3)
