"""How often the judge of claims is right on labelled pairs, and how often the code before it was."""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.capabilities.claims.judged import Pair, pairs, verdict

BEFORE = Path(__file__).with_name("claims_before.py")


def now(labelled: Sequence[Pair]) -> list[str]:
    """Return the verdicts of `capabilities.claims`."""
    return [verdict(pair.a, pair.b, pair.subject) for pair in labelled]


def before(labelled: Sequence[Pair], folder: Path) -> list[str]:
    """Return the verdicts of the code in ``folder``, a checkout from before claims."""
    told = "".join(json.dumps(asdict(pair)) + "\n" for pair in labelled)
    command = [sys.executable, "-P", str(BEFORE)]
    run = subprocess.run(
        command,
        input=told,
        text=True,
        capture_output=True,
        check=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(folder.resolve())},
    )
    return run.stdout.split()


def show(name: str, labelled: Sequence[Pair], said: Sequence[str], *, mistakes: bool) -> None:
    """Print how many verdicts are right: of all, of the held-out pairs, of traps, by verdict and by language."""
    right = [pair.verdict == given for pair, given in zip(labelled, said, strict=True)]
    print(f"{name}: {_share(right)}")
    for group, wanted in (("held out", [pair.held_out for pair in labelled]), ("traps", [p.trap for p in labelled])):
        print(f"  {group:12}{_share(is_right for is_right, is_in in zip(right, wanted, strict=True) if is_in)}")
    print(f"  never same where it is not: {_never_same(labelled, said)}")
    _by("verdict", labelled, right, lambda pair: pair.verdict)
    _by("language", labelled, right, lambda pair: pair.language)
    if mistakes:
        _mistakes(labelled, said)


def _share(right: Iterable[bool]) -> str:
    counted = list(right)
    return f"{sum(counted) / max(1, len(counted)):.3f} ({sum(counted)}/{len(counted)})"


def _never_same(labelled: Sequence[Pair], said: Sequence[str]) -> str:
    others = [given for pair, given in zip(labelled, said, strict=True) if pair.verdict not in ("same", "refines")]
    return _share(given not in ("same", "refines") for given in others)


def _by(name: str, labelled: Sequence[Pair], right: Sequence[bool], group_of: Callable[[Pair], str]) -> None:
    total = Counter(group_of(pair) for pair in labelled)
    correct = Counter(group_of(pair) for pair, is_right in zip(labelled, right, strict=True) if is_right)
    print(f"  by {name}: " + ", ".join(f"{group} {correct[group]}/{count}" for group, count in total.most_common()))


def _mistakes(labelled: Sequence[Pair], said: Sequence[str]) -> None:
    for pair, given in zip(labelled, said, strict=True):
        if pair.verdict != given and not pair.held_out:
            print(f"    {pair.language} {pair.a!r} / {pair.b!r}: {pair.verdict}, said {given} ({pair.note})")


def main() -> None:
    """Print the figures of the code that is here and, with ``--before``, those of an older checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="a checkout from before claims")
    parser.add_argument("-v", "--mistakes", action="store_true", help="list the mistakes that are not held out")
    asked = parser.parse_args()
    labelled = pairs()
    held_out, traps = sum(pair.held_out for pair in labelled), sum(pair.trap for pair in labelled)
    print(f"{len(labelled)} pairs, {traps} of them traps, {held_out} held out")
    show("claims", labelled, now(labelled), mistakes=asked.mistakes)
    alike = [verdict(pair.a, pair.b, pair.subject, alike=True) for pair in labelled]
    print(f"  never same where it is not, though vectors say alike: {_never_same(labelled, alike)}")
    if asked.before is not None:
        show("before", labelled, before(labelled, asked.before), mistakes=False)


if __name__ == "__main__":
    main()
