"""The list of attributes: a mistake in it is told with its attribute, its language, and what to do."""

from typing import Any

import pytest

from capabilities.claims.attributes import ATTRIBUTES, loaded
from capabilities.claims.check import mistakes
from fabric.errors import ConfigurationError


def test_the_list_has_no_mistake():
    assert list(mistakes(ATTRIBUTES)) == []


@pytest.mark.parametrize(
    ("described", "told"),
    [
        ({"say": {"english": ["wears size {v}"]}}, "attribute 'shoe' has no field 'say': write 'says'"),
        ({"says": {"klingon": ["{v}"]}}, "'says': the language 'klingon' is not known: write one of english, "),
        ({"asked": {"englsh": ["size"]}}, "'asked': the language 'englsh' is not known: write one of english, "),
        ({"single": "perhaps"}, "attribute 'shoe': single: Input should be a valid boolean"),
        ({"says": {"english": "wears {v}"}}, "attribute 'shoe': says.english: Input should be a valid tuple"),
    ],
)
def test_a_mistake_is_told_when_the_list_is_loaded(described: dict[str, Any], told: str):
    with pytest.raises(ConfigurationError) as error:
        loaded({"shoe": described})
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("described", "told"),
    [
        ({"says": {"english": ["wears (?P<v>.+"]}}, "'says', english, 'wears (?P<v>.+': it is no pattern (missing )"),
        ({"says": {"german": ["trägt .+"]}}, "'says', german, 'trägt .+': nothing in it is the value: write {v}"),
        ({"over": {"english": ["lost {SHOE}"]}}, "'over', english, 'lost {SHOE}': there is no macro 'SHOE'"),
        ({"of": "foot"}, "attribute 'shoe' names 'foot', which is no attribute"),
        ({"ends": {"boot": "any"}}, "attribute 'shoe' names 'boot', which is no attribute"),
    ],
)
def test_a_mistake_in_a_pattern_is_told_by_the_check(described: dict[str, Any], told: str):
    (mistake,) = mistakes(loaded({"shoe": described}))
    assert told in mistake
