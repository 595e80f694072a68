"""How long it takes to start: ``python -m tests.bench.startup`` prints medians in fresh interpreters.

Each finds the compiled modules of the ones before, as an installed package has them, whatever the environment says of
bytecode.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

RUNS = 21
COMMANDS = {
    "a bare interpreter": ([sys.executable, "-c", "pass"], None),
    "import pydantic and asyncio, without the interpreter": (
        [sys.executable, "-c", "import asyncio, pydantic; pydantic.BaseModel, pydantic.TypeAdapter"],
        None,
    ),
    "import fabric, without the interpreter": ([sys.executable, "-c", "import fabric"], 150),
    "thought-fabric --help": ([str(Path(sys.executable).with_name("thought-fabric")), "--help"], 300),
}


def milliseconds(command: list[str], bytecode: str) -> float:
    """Return how long one run of a command took; compiled modules are kept in the folder ``bytecode``."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**inherited, "PYTHONPYCACHEPREFIX": bytecode})
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Print one line per command; the commands take turns, so that a busy moment hits them all."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as bytecode:
        for number in range(RUNS + 1):
            for name, (command, _limit) in COMMANDS.items():
                passed = milliseconds(command, bytecode)
                if number:  # the first run of each compiles
                    taken[name].append(passed)
    bare = median(taken["a bare interpreter"])
    for name, (_, limit) in COMMANDS.items():
        value = median(taken[name]) - (bare if "without" in name else 0.0)
        print(f"{name}: {value:.0f} ms{'' if limit is None else f' (limit {limit} ms)'}")


if __name__ == "__main__":
    main()
