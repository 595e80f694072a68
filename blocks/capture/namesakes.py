"""Observations of people who share a name: filed under the one whom the message means, or under nobody."""

from collections.abc import Iterable, Sequence

from capabilities.claims import claim_of
from capabilities.claims.record import USER
from capabilities.semantic.namesakes import Namesakes, bearer_of, first_name, namesakes
from capabilities.semantic.selves import Self, introductions
from capabilities.vocabulary import Observation


def told_apart(
    found: Sequence[Observation], speaker: Self, mentioned: Iterable[tuple[str, str]]
) -> tuple[list[Observation], list[str]]:
    """Return observations with each of a shared name filed under its bearer, and notes on those that may be several's.

    The ``speaker`` knows who is who, ``mentioned`` are those whom the message names by what they are. A message that
    names one bearer means that one; of several, each the observation right behind their introduction.
    """
    told = [*mentioned, *introductions(claim_of(seen) for seen in found if seen.subject == USER)]
    shared = namesakes([*speaker.told, *told], speaker.taken, speaker.names)
    if not shared:
        return list(found), []
    meant = {
        name: {bearer_of(shared, first_name(called), kin) for kin, called in told if first_name(called) == name}
        for name in shared
    }
    kept: list[Observation] = []
    unclear: list[str] = []
    last = ("", "")
    for seen in found:
        if seen.subject not in shared:
            kept.append(seen)
            last = _introduced(seen, shared)
            continue
        name = seen.subject
        subjects = meant[name] - {""}
        subject = next(iter(subjects)) if len(subjects) == 1 else last[1] if last[0] == name else ""
        if subject:
            kept.append(seen.model_copy(update={"subject": subject}))
        else:
            who = " and ".join(sorted(kin for bearer in shared[name] for kin in bearer.kin))
            unclear.append(f"not filed: {seen.content!r} may be about several called {name}, {who}")
        last = ("", "")
    return kept, unclear


def _introduced(seen: Observation, shared: Namesakes) -> tuple[str, str]:
    """Return the shared name that an observation introduces somebody by, and the subject of that one."""
    for kin, called in introductions([claim_of(seen)] if seen.subject == USER else []):
        if first_name(called) in shared:
            return first_name(called), bearer_of(shared, first_name(called), kin)
    return "", ""
