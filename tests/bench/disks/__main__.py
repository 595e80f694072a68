"""Full disks, places that may not be written, flipped bytes and missing files: ``python -m tests.bench.disks``.

``[FLIPS] [SEED]``: how many bytes are flipped in each of three files, one after the other. One line per check, and
what did not hold; exit code 1 then.
"""

import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.bench.checks import print_checks

from .children import warm_up
from .counted import CHECKS, Counted
from .flipped import flipped, missing
from .forbidden import forbidden
from .full import full

FLIPS = 60


def main(flips: int, seed: int) -> int:
    """Run all parts, print what was counted, and return how much was wrong."""
    counted, begun = Counted(), time.perf_counter()
    warm_up()
    with tempfile.TemporaryDirectory() as folder:
        full(Path(folder), counted)
        missing(Path(folder), counted)
        forbidden(Path(folder), counted)
        flipped(Path(folder), flips, random.Random(seed), counted)
    print_checks(CHECKS, counted.checked, Counter(check for check, _ in counted.wrong))
    print(f"{time.perf_counter() - begun:.0f} s")
    return len(counted.wrong)


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(bool(main(numbers[0] if numbers else FLIPS, numbers[1] if len(numbers) > 1 else 0)))
