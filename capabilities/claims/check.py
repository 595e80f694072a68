"""Checking the list of attributes: every pattern in every language, as ``python -m capabilities.claims.check`` does."""

import sys
from collections.abc import Iterator, Mapping

from fabric.errors import ConfigurationError

from .attributes import ATTRIBUTES, LANGUAGES, OTHER, Attribute, patterns_of


def mistakes(attributes: Mapping[str, Attribute]) -> Iterator[str]:
    """Yield what is wrong with the patterns of attributes, and with the names by which they name each other.

    >>> from capabilities.claims.attributes import loaded
    >>> print(*mistakes(loaded({"shoe": {"of": "foot"}})))
    attributes.json: attribute 'shoe' names 'foot', which is no attribute: correct the name
    """
    for pattern in patterns_of(list(attributes.values()), LANGUAGES):
        try:
            assert pattern.match  # noqa: S101  it is compiled when it is asked for
        except ConfigurationError as error:
            yield str(error)
    for attribute in attributes.values():
        named = {*attribute.ends, *attribute.behind, attribute.of, attribute.like} - {"", *attributes}
        yield from (
            f"attributes.json: attribute {attribute.name!r} names {other!r}, which is no attribute: correct the name"
            for other in sorted(named)
        )


def main() -> None:
    """Print what is wrong, and leave with 1 where anything is."""
    found = list(mistakes(ATTRIBUTES))
    sys.stdout.write(
        "\n".join([*found, f"{len(ATTRIBUTES.keys() - {OTHER})} attributes, {len(found)} mistakes"]) + "\n"
    )
    raise SystemExit(min(len(found), 1))


if __name__ == "__main__":
    main()
