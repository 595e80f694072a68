"""Keys: under which names a memory system keeps its data, so that several stand side by side in one file."""

import hashlib
import re

MEMORY = "memory"
"""The system that has no other name: its tiers are kept under their own names."""
MARK = "__"
"""What stands between the name of a tier and that of its system."""
_PLAIN = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST = 32
"""Longest name of a system that is part of a key as it is; a store's names are 63 characters at most."""


def suffix_of(system: str) -> str:
    """Return what a system's keys end with: "" for the default one, the name, or for an odd name a form of it.

    >>> suffix_of("memory"), suffix_of("team"), suffix_of("Team A").startswith("team_a_")
    ('', 'team', True)
    """
    if system == MEMORY:
        return ""
    if _PLAIN.fullmatch(system) and len(system) <= _LONGEST:
        return system
    told = re.sub(r"[^a-z0-9]+", "_", system.casefold()).strip("_0123456789")[: _LONGEST - 10].strip("_")
    mark = hashlib.sha256(system.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{told or 'system'}_{mark}"


def key_of(tier: str, system: str) -> str:
    """Return the key under which a system keeps one of its tiers.

    >>> key_of("turns", "memory"), key_of("turns", "team")
    ('turns', 'turns__team')
    """
    suffix = suffix_of(system)
    return f"{tier}{MARK}{suffix}" if suffix else tier


def tier_of(key: str) -> str:
    """Return the tier that is kept under a key; the key itself where it is no named system's.

    >>> tier_of("turns__team"), tier_of("turns")
    ('turns', 'turns')
    """
    return key.partition(MARK)[0]


def system_of(key: str) -> str:
    """Return what names the system in a key, "" for the default one.

    >>> system_of("turns__team"), system_of("turns")
    ('team', '')
    """
    return key.partition(MARK)[2]


def capability_name(tier: str, system: str) -> str:
    """Return what a system's capability is called in ``ctx.cap``; for "memory" that is the whole system.

    >>> capability_name("memory", "memory"), capability_name("memory", "team"), capability_name("working_memory", "me")
    ('memory', 'team', 'me_working_memory')
    """
    suffix = suffix_of(system)
    if not suffix:
        return tier
    return suffix if tier == MEMORY else f"{suffix}_{tier}"
