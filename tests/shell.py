"""Shell lines of the documentation, as a reader would type them."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from tests import forkserver

ROOT = Path(__file__).parents[1]
_SHELL = re.compile(r"[|&;<>$`*?#~(){}\\]")


def run_shell(text: str) -> None:
    """Run each line in the working directory; AssertionError for one that fails.

    ``make`` is asked what it would do only: its targets install the project and run these very tests.
    """
    # whole lines of ours are run by a process that is ready; what a shell has to read itself, by the installed command
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in filter(None, map(str.strip, text.splitlines())):
        typed = line.replace("make ", f"make --dry-run --directory '{ROOT}' ", 1) if line.startswith("make ") else line
        options = {"capture_output": True, "text": True, "env": {**os.environ, "PATH": path}}
        if typed.startswith("thought-fabric ") and not _SHELL.search(typed):
            done = forkserver.run([sys.executable, "-m", "pipelines", *shlex.split(typed)[1:]], **options)
        else:
            done = subprocess.run(typed, shell=True, check=False, **options)  # noqa: S602  the lines are those of our own READMEs
        assert done.returncode == 0, f"{line}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"
