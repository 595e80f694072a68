"""A memory that is not used fades; how fast is the strategy's business, that it never brightens is everybody's."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from capabilities.formulas.salience import STRATEGIES, Strategy, decay, exponential, none, power_law, salience

elapsed_times = st.floats(0, 1e12)
rates = st.floats(0, 1e3)
strategies = st.sampled_from(STRATEGIES)


@pytest.mark.parametrize(("elapsed", "left"), [(0, 1.0), (3, 0.5), (8, 1 / 3), (99, 0.1)])
def test_power_law_with_rate_one_half_is_one_over_the_square_root(elapsed: float, left: float):
    assert power_law(elapsed, 0.5) == pytest.approx(left)


@pytest.mark.parametrize(("elapsed", "left"), [(0, 1.0), (1, 0.60653), (2, 0.36788), (10, 0.0067379)])
def test_exponential_loses_the_same_share_every_turn(elapsed: float, left: float):
    assert exponential(elapsed, 0.5) == pytest.approx(left, rel=1e-4)
    assert exponential(elapsed + 1, 0.5) / exponential(elapsed, 0.5) == pytest.approx(math.exp(-0.5))


def test_the_power_law_has_the_longer_tail():
    assert power_law(1, 0.5) > exponential(1, 0.5)
    assert power_law(30, 0.5) / exponential(30, 0.5) > 10_000


@given(elapsed_times, rates)
def test_without_decay_nothing_is_lost(elapsed: float, rate: float):
    assert none(elapsed, rate) == 1.0


@given(strategies, rates)
def test_nothing_is_lost_at_once(strategy: Strategy, rate: float):
    assert decay(strategy, 0, rate) == 1.0


@given(strategies, elapsed_times, elapsed_times, rates)
def test_decay_stays_in_bounds_and_never_rises(strategy: Strategy, one: float, other: float, rate: float):
    early, late = sorted((one, other))
    assert 0.0 <= decay(strategy, late, rate) <= decay(strategy, early, rate) <= 1.0


@given(st.sampled_from(["power-law", "exponential"]), st.floats(0.5, 1e6), rates, rates)
def test_a_higher_rate_never_leaves_more(strategy: Strategy, elapsed: float, one: float, other: float):
    low, high = sorted((one, other))
    assert decay(strategy, elapsed, high) <= decay(strategy, elapsed, low)


@given(st.sampled_from(["power-law", "exponential"]), st.integers(0, 1000))
def test_decay_with_a_rate_really_loses_something(strategy: Strategy, elapsed: int):
    before = decay(strategy, elapsed, 0.5)
    assume(before > 1e-300)
    assert decay(strategy, elapsed + 1, 0.5) < before


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -1.0])
def test_times_and_rates_that_are_none_are_refused_by_name(strategy: Strategy, bad: float):
    with pytest.raises(ValueError, match="rate is"):
        decay(strategy, 1, bad)
    with pytest.raises(ValueError, match="elapsed is"):
        decay(strategy, bad, 0.5)


def test_an_unknown_strategy_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'linear'.*power-law, exponential, none"):
        decay("linear", 1, 0.5)  # type: ignore[arg-type]


def test_salience_is_importance_times_what_is_left():
    assert salience(0.8, "power-law", 3, 0.5) == pytest.approx(0.4)
    assert salience(0.8, "none", 300, 0.5) == 0.8


@given(st.floats(0, 1), strategies, st.floats(-1e6, 0), rates)
def test_time_that_has_not_passed_takes_nothing(importance: float, strategy: Strategy, elapsed: float, rate: float):
    assert salience(importance, strategy, elapsed, rate) == importance


@given(st.floats(allow_nan=False), strategies, elapsed_times, rates)
def test_salience_is_a_share_whatever_the_importance(
    importance: float, strategy: Strategy, elapsed: float, rate: float
):
    assert 0.0 <= salience(importance, strategy, elapsed, rate) <= 1.0


def test_salience_refuses_what_is_not_a_number():
    with pytest.raises(ValueError, match="importance is nan"):
        salience(math.nan, "none", 1, 0.5)
    with pytest.raises(ValueError, match="elapsed is nan"):
        salience(0.5, "none", math.nan, 0.5)
