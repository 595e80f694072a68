"""What is installed is typed: a user's program is checked against the built wheel, not against this folder."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLOORS = ("fabric", "blocks", "pipelines", "capabilities")
BASES = ("pydantic", "pydantic_core", "typing_extensions.py", "annotated_types", "typing_inspection")
"""What our types are made of: it is read as installed; all other libraries are not there, and read as Any."""
BUILD = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"


def output_of(*command: str | Path, cwd: Path) -> str:
    found = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return folder / output_of(sys.executable, "-c", BUILD, folder, cwd=ROOT).split()[-1]


def test_the_wheel_has_every_file_of_the_four_floors_and_their_mark_of_types(wheel: Path):
    built = {name for name in zipfile.ZipFile(wheel).namelist() if name.partition("/")[0] in FLOORS}
    tracked = output_of("git", "ls-files", *FLOORS, cwd=ROOT).split() if (ROOT / ".git").exists() else []
    assert set(tracked) - built == set()
    assert {name for name in built if name.endswith("py.typed")} == {f"{floor}/py.typed" for floor in FLOORS}


@pytest.mark.slow
def test_a_users_program_is_right_against_the_wheel(wheel: Path, tmp_path: Path):
    venv.create(tmp_path, symlinks=True)
    scripts, packages = (
        Path(sysconfig.get_path(kind, "venv", {"base": str(tmp_path)})) for kind in ("scripts", "purelib")
    )
    zipfile.ZipFile(wheel).extractall(packages)
    for name in BASES:
        (packages / name).symlink_to(Path(sysconfig.get_path("purelib")) / name)
    program = tmp_path / "program.py"
    program.write_text((ROOT / "tests/typing/sessions.py").read_text(encoding="utf-8"), encoding="utf-8")
    mypy = (sys.executable, "-m", "mypy", "--strict", "--python-executable", scripts / "python")
    assert "Success" in output_of(*mypy, program, cwd=tmp_path)
