"""Facts that are kept of answers whose form is wrong: ``python -m tests.bench.answers``.

Reads each answer of ``tests/stub_server/slips.py`` as the observer does, without a server, and prints what is missed.
"""

from blocks.capture.observed import Observations
from fabric.errors import OutputError
from fabric.models.answers.structured import parse
from tests.stub_server.slips import SLIPS, Slip


def kept(slip: Slip) -> int:
    """Return how many of the facts of one answer are read, under the right person."""
    try:
        read = parse(slip.text, Observations).value.observations
    except OutputError:
        return 0
    said = [(fact.subject, fact.content) for fact in read]
    return sum(any(subject == whose and word in content for whose, content in said) for subject, word in slip.kept)


def main() -> None:
    """Print the answers of which something is missed, and the sum."""
    found = {name: kept(slip) for name, slip in SLIPS.items()}
    for name, count in found.items():
        if count < len(SLIPS[name].kept):
            print(f"{name}: {count} of {len(SLIPS[name].kept)}")
    print(f"{sum(found.values())} of {sum(len(slip.kept) for slip in SLIPS.values())} facts in {len(SLIPS)} answers")


if __name__ == "__main__":
    main()
