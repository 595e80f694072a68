"""What a view of searching says of rows, without the numbers it gives them; and the same, worked out from the rows."""

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np

from fabric.search.base import PostingsView, SearchView
from fabric.store.base import Row, Table

SECONDS = {"1970-01-01T00:01:00Z": 60.0, "1970-01-01T01:00:00+01:00": 0.0}
"""Times that rows may have, and what a column holds for them."""


def tokens_of(row: Row) -> list[str]:
    """Return what a row is found by; "dogs/Dogs" in its content is the term "dogs", spelled "Dogs"."""
    return row["content"].replace("/", "\t").split(" ") if row["content"] else []


SAID = Table(
    "said",
    {"label": "text", "n": "integer", "done": "boolean", "at": "time"},
    "content",
    tokens_of,
    ("label", "n", "done", "at"),
    "label",
)


def expected(rows: list[Row]) -> dict[str, Any]:
    """Return what a view of these rows, in order of insertion, has to say."""
    tokens = {row["id"]: tokens_of(row) for row in rows}
    labels = dict.fromkeys(row["label"] for row in rows if row["label"] is not None)
    by_label = [[row["id"] for row in rows if row["label"] == label] for label in labels]
    return {
        "ids": [row["id"] for row in rows],
        "terms": {row_id: Counter(token.partition("\t")[0] for token in own) for row_id, own in tokens.items()},
        "tokens": Counter(token for own in tokens.values() for token in own),
        "columns": [[row["label"], row["n"], row["done"], SECONDS.get(row["at"])] for row in rows],
        "follow": sorted(pair for own in by_label for pair in pairwise(own)),
    }


def picture(view: SearchView) -> dict[str, Any]:
    """Return what a view says, which has to agree with itself."""
    positions = sorted(np.flatnonzero(view.alive).tolist(), key=lambda position: int(view.places[position]))
    names = [view.ids[position] for position in positions]
    assert ([view.position_of(name) for name in names], view.position_of("nobody")) == (positions, -1)
    assert (len(view), view.size, view.thread) == (len(positions), len(view.ids), "label")
    terms = _terms(view.postings, dict(zip(positions, names, strict=True)))
    sizes = [int(view.lengths[position]) for position in positions]
    assert sizes == [terms[name].total() for name in names]
    assert view.total_length == sum(sizes)
    assert [int(view.different[position]) for position in positions] == [len(terms[name]) for name in names]
    follow = [(position, int(view.after[position])) for position in positions if view.after[position] >= 0]
    assert sorted(follow) == sorted(
        (int(view.before[position]), position) for position in positions if view.before[position] >= 0
    )
    return {
        "ids": names,
        "terms": terms,
        "tokens": _tokens(view.postings),
        "columns": [_cells(view, position) for position in positions],
        "follow": sorted((view.ids[one], view.ids[other]) for one, other in follow),
    }


def _terms(postings: PostingsView, names: dict[int, str]) -> dict[str, Counter[str]]:
    """Return how often each row holds which terms; ``names`` are the ids by live position."""
    found = {name: Counter[str]() for name in names.values()}
    for term, number in postings.terms.items():
        positions, counts = (held.tolist() for held in postings.of(number))
        assert (positions, postings.name(number)) == (sorted(positions), term)
        for position, count in zip(positions, counts, strict=True):
            if position in names:
                found[names[position]][term] += count
        assert postings.frequencies[number] == sum(term in own for own in found.values())
    numbers = list(postings.terms.values())
    many = [(numbers[at], positions.tolist(), counts.tolist()) for at, positions, counts in postings.lists(numbers)]
    for number in numbers:
        positions, counts = (held.tolist() for held in postings.of(number))
        assert [position for of, some, _ in many if of == number for position in some] == positions
        assert [count for of, _, some in many if of == number for count in some] == counts
    assert numbers == list(range(len(numbers)))
    assert postings.terms_from(1) == list(postings.terms)[1:]
    return found


def _tokens(postings: PostingsView) -> Counter[str]:
    tokens = list(postings.tokens)
    assert (postings.tokens_from(1), list(postings.tokens.values())) == (tokens[1:], list(range(len(tokens))))
    assert [postings.name(term) for term in postings.token_terms.tolist()] == [one.partition("\t")[0] for one in tokens]
    counts = zip(tokens, postings.token_counts.tolist(), strict=True)
    return Counter({token: count for token, count in counts if count})


def _cells(view: SearchView, position: int) -> list[Any]:
    label = view.columns["label"]
    texts = {number: text for text, number in label.names.items()}
    numbers = [float(view.columns[name].values[position]) for name in ("n", "done", "at")]
    return [texts.get(int(label.values[position])), *(None if np.isnan(number) else number for number in numbers)]
