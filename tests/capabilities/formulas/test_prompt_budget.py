"""A prompt has room for so many tokens; the first lines are the important ones, and each section has its share."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capabilities.formulas.prompt_budget import (
    SECTIONS,
    SHARES,
    Section,
    Shares,
    allotted,
    pack,
    spend,
    tokens,
)
from fabric.text.words import estimate_tokens

from .golden import FOLDER, assert_all_match
from .reference_lines import reference_line

THEIRS: dict[Section, str] = {
    "persistent": "persistent_memory",
    "active": "working_memory",
    "semantic": "semantic_recall",
    "episodic": "recent_episodic",
    "reminders": "prospective_alerts",
    "associated": "graph_associations",
    "observations": "observation_notes",
}
LISTS: dict[Section, str] = {
    "reminders": "prospective_alerts",
    "associated": "graph_context",
    "observations": "observation_notes",
}

lines = st.lists(st.text(st.characters(exclude_characters="\n"), max_size=20), max_size=12)


@given(st.integers(0, 10**9))
def test_four_characters_are_a_token_and_any_rest_is_one_more(characters: int):
    assert tokens(characters) == math.ceil(characters / 4)


def test_a_negative_length_is_refused():
    with pytest.raises(ValueError, match="characters is -1"):
        tokens(-1)


@given(lines, st.integers(-5, 100))
def test_what_is_kept_fits_when_joined_and_one_line_more_would_not(given_lines: list[str], budget: int):
    kept = pack(given_lines, budget)
    assert kept == given_lines[: len(kept)]
    assert not kept or estimate_tokens("\n".join(kept)) <= budget
    if len(kept) < len(given_lines):
        assert estimate_tokens("\n".join(given_lines[: len(kept) + 1])) > budget


def test_a_line_that_does_not_fit_ends_it_even_if_a_later_one_would():
    assert pack(["aaaa", "b" * 100, "c"], 3) == ["aaaa"]


def test_line_breaks_are_paid_for():
    assert pack(["aaaa", "bbbb"], 2) == ["aaaa"]
    assert pack(["aaaa", "bbb"], 2) == ["aaaa", "bbb"]


def style(traits: Any) -> str:
    """Return the style of a case's traits, as the reference picks it."""
    marks = {"structured": "conscientiousness", "narrative": "openness", "emotional": "emotionality"}
    given = {name: min(1.0, max(0.0, 0.5 if traits.get(of) is None else traits[of])) for name, of in marks.items()}
    return max(given, key=lambda name: given[name])


def spent(given: Any) -> dict[str, Any]:
    """Return what our arithmetic makes of a case, over the lines of the reference."""
    default = json.loads((FOLDER / "prompt_assembler.json").read_text())["reference_default_allocation"]
    shares = {**default, **given.get("allocation", {})}
    total, traces = given["total_token_budget"], given.get("retrieved_traces") or []
    lines: dict[Section, list[Any]] = {"semantic": [], "episodic": []}
    for trace in traces:
        lines["episodic" if trace["type"] == "episodic" else "semantic"].append(trace)
    written = style(given["traits"])
    sizes: dict[Section, list[int]] = {
        section: [tokens(len(reference_line(trace, written, given["now_ms"]))) for trace in held]
        for section, held in lines.items()
    }
    sizes |= {section: [tokens(len(text)) for text in given.get(name) or []] for section, name in LISTS.items()}
    if given.get("working_memory_text"):
        sizes["active"] = [tokens(len(given["working_memory_text"]))]
    if given.get("persistent_memory_text"):
        most = allotted(total, shares["persistent_memory"])
        sizes["persistent"] = [min(most, tokens(len(given["persistent_memory_text"])))]
    found = spend(total, sizes, Shares(**{own: shares[name] for own, name in THEIRS.items()}))
    kept = [trace["id"] for section in lines for trace in lines[section][: found.kept[section]]]
    return {"style": written, "tokens_used_without_preamble": found.used, "included_memory_ids": kept}


def test_a_budget_is_spent_as_in_the_reference() -> None:
    compared = ("style", "tokens_used_without_preamble", "included_memory_ids")

    def alike(out: Any) -> dict[str, Any]:
        return {name: out[name] for name in compared}

    assert_all_match("prompt_assembler", "assemble_memory_context", spent, alike)


def test_six_sections_share_the_budget_and_persistent_text_takes_from_recall() -> None:
    assert Shares(0.15, 0.45, 0.25, 0.05, 0.05, 0.05, 0.05) == SHARES
    full: dict[Section, list[int]] = dict.fromkeys(SECTIONS, [1] * 100)
    full["active"] = [1] * 15
    kept = spend(100, full).kept
    assert [kept[section] for section in SECTIONS] == [5, 15, 40, 25, 5, 5, 5]
    full["persistent"] = []
    assert spend(100, full).kept["semantic"] == 45
    with pytest.raises(ValueError, match="share is nan"):
        allotted(100, float("nan"))


def test_what_a_section_leaves_goes_to_recall_and_active_context_goes_in_whole_or_not() -> None:
    memories: dict[Section, list[int]] = {"semantic": [10] * 10, "episodic": [10] * 10}
    assert spend(100, memories).kept["semantic"] == 8
    assert spend(100, memories).kept["episodic"] == 2
    assert spend(100, {"semantic": [10] * 10}).kept["semantic"] == 10
    assert spend(100, memories | {"active": [8, 8]}).kept["active"] == 0
    assert spend(100, memories | {"active": [8, 7]}).kept["active"] == 2
    assert spend(100, memories | {"active": [8, 7]}).kept["semantic"] == 6
    assert spend(100, memories, headings={"semantic": 5, "episodic": 6}).kept["episodic"] == 1


sections = st.dictionaries(st.sampled_from(SECTIONS), st.lists(st.integers(0, 60), max_size=6))
parts = st.floats(0, 1)


@given(
    st.integers(-10, 500),
    sections,
    st.builds(Shares, *[parts] * 7),
    st.dictionaries(st.sampled_from(SECTIONS), st.integers(0, 20)),
)
def test_no_more_is_spent_than_there_is_and_nothing_that_would_fit_is_left(
    total: int, sizes: dict[Section, list[int]], shares: Shares, headings: dict[Section, int]
) -> None:
    found = spend(total, sizes, shares, headings)
    assert found == spend(total, sizes, shares, headings)
    taken = {name: sum(sizes.get(name, [])[: found.kept[name]]) for name in SECTIONS}
    whole = sum(taken.values()) + sum(headings.get(name, 0) for name in SECTIONS if found.kept[name])
    assert found.used == whole <= max(0, total)
    rest = sizes.get("semantic", [])[found.kept["semantic"] :]
    assert not rest or whole + rest[0] + (0 if found.kept["semantic"] else headings.get("semantic", 0)) > total
