"""How much it takes to start: ``python -m tests.bench.startup`` prints the processor time of fresh interpreters.

Each finds the compiled modules of the ones before, as an installed package has them, whatever the environment says of
bytecode. The commands take turns, so that a busy moment hits them all, and the least of each counts: what else the
machine does only adds.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 21
LIBRARIES = "import asyncio, pydantic; pydantic.BaseModel, pydantic.TypeAdapter"
"""pydantic loads its parts when they are named: a bare import of it would load nothing."""
COMMANDS = {
    "import asyncio and pydantic": [sys.executable, "-c", LIBRARIES],
    "import fabric": [sys.executable, "-c", "import fabric"],
    "import typer": [sys.executable, "-c", "import typer"],
    "thought-fabric --help": [str(Path(sys.executable).with_name("thought-fabric")), "--help"],
}
LIMITS = {
    "import fabric": ("import asyncio and pydantic", 1.3),
    "thought-fabric --help": ("import typer", 2.0),
}
"""How many times as much a command may take as another that loads only what it stands on."""


def milliseconds(command: list[str], bytecode: str) -> float:
    """Return the processor time of one run of a command; compiled modules are kept in the folder ``bytecode``."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**inherited, "PYTHONPYCACHEPREFIX": bytecode})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Print one line per command, and its ratio to the one that it is measured by."""
    taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as bytecode:
        for number in range(RUNS + 1):
            for name, command in COMMANDS.items():
                passed = milliseconds(command, bytecode)
                if number:  # the first run of each compiles
                    taken[name].append(passed)
    least = {name: min(several) for name, several in taken.items()}
    for name, value in least.items():
        other, limit = LIMITS.get(name, ("", 0.0))
        ratio = f", {value / least[other]:.2f} times `{other}` (limit {limit})" if other else ""
        print(f"{name}: {value:.0f} ms{ratio}")


if __name__ == "__main__":
    main()
