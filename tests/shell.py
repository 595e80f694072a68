"""Shell lines of the documentation, as a reader would type them."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_shell(text: str) -> None:
    """Run each line in the working directory; AssertionError for one that fails.

    ``make`` is asked what it would do only: its targets install the project and run these very tests.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in filter(None, map(str.strip, text.splitlines())):
        typed = line.replace("make ", f"make --dry-run --directory '{ROOT}' ", 1) if line.startswith("make ") else line
        done = subprocess.run(  # noqa: S602  the lines are those of our own READMEs
            typed, shell=True, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
        )
        assert done.returncode == 0, f"{line}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"
