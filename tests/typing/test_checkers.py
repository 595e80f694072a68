"""The programs in this folder are right for both type checkers; what they assert about types is never run."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright"]], ids=["mypy", "pyright"])
def test_the_checkers_agree_with_every_asserted_type(checker: list[str]):
    programs = sorted(str(path) for path in HERE.glob("*.py") if not path.name.startswith("test_"))
    found = subprocess.run(  # noqa: PLW1510  the assertion shows what was printed
        [sys.executable, "-m", *checker, *programs], cwd=HERE.parents[1], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr
