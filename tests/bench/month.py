"""Live a month with a cognitive memory, killed on the way, and compare all it left: ``python -m tests.bench.month``.

``python -m tests.bench.month [KILLS] [TURNS] [SEED]``: 40 kills in 240 turns unless told otherwise.
"""

import sys
import tempfile
from pathlib import Path

from tests.stories.month_crash import kill_often

DEFAULTS = (40, 240, 0)

if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:4]]
    kills, turns, seed = (*given, *DEFAULTS[len(given) :])
    with tempfile.TemporaryDirectory() as folder:
        counts = kill_often(Path(folder), kills, turns, seed)
    print(", ".join(f"{count} {what}" for what, count in counts.items()) + ": nothing missed, doubled or lost")
