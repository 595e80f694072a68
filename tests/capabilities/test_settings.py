"""Options are refused where they are written, in one line that names them."""

from typing import Any

import pytest

from capabilities.settings import Settings
from fabric.errors import ConfigurationError


class Milk(Settings):
    share: float = 0.1


class Tea(Settings):
    sugar: int = 0
    milk: Milk = Milk()


def test_true_means_the_defaults_and_false_or_none_means_without():
    assert Tea.of(True) == Tea()
    assert Tea.of(False) is None
    assert Tea.of(None) is None


def test_a_mapping_gives_the_fields_and_settings_are_themselves():
    assert Tea.of({"sugar": 2, "milk": {"share": 0.5}}) == Tea(sugar=2, milk=Milk(share=0.5))
    strong = Tea(sugar=5)
    assert Tea.of(strong) is strong


@pytest.mark.parametrize("value", ["yes", 1, 0, [], Milk()])
def test_anything_else_is_refused(value: Any):
    with pytest.raises(ConfigurationError, match="expected True, False, a mapping or a Tea"):
        Tea.of(value)


@pytest.mark.parametrize("values", [{"sugr": 1}, {"sugar": "two"}, {"milk": {"shar": 1}}, {"milk": 3}, {1: 2}])
def test_what_cannot_be_is_named_on_one_line(values: dict[Any, Any]):
    with pytest.raises(ConfigurationError) as refused:
        Tea.of(values)
    message = str(refused.value)
    assert message.startswith("Tea: ")
    assert str(next(iter(values))) in message
    assert "\n" not in message


def test_a_huge_value_is_shown_in_part():
    with pytest.raises(ConfigurationError) as refused:
        Tea.of({"sugar": "x" * 1_000_000})
    assert len(str(refused.value)) < 300


def test_every_wrong_option_is_named():
    with pytest.raises(ConfigurationError, match=r"sugar=.two.: .*share=.all.: "):
        Tea(sugar="two", milk={"share": "all"})  # type: ignore[arg-type]


def test_settings_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        Tea().sugar = 3  # type: ignore[misc]
