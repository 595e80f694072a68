"""Notices when one of the four packages is shadowed by another project's package of the same common name."""

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

FLOORS = ("blocks", "capabilities", "fabric", "pipelines")


def check_floors(home: Path, floors: Iterable[str] = FLOORS) -> None:
    """Raise ImportError when a floor would be imported from elsewhere than ``home``, the directory of them all."""
    for floor in floors:
        spec = find_spec(floor)
        if spec is None or spec.origin is None:
            continue
        found = Path(spec.origin).resolve().parent
        if found.parent != home.resolve():
            raise ImportError(
                f"thought-fabric's package {floor!r} is shadowed by {found}; expected {home / floor}. "
                f"Its package names are common words: install it into an environment of its own, and keep directories "
                f"named {', '.join(FLOORS)} off sys.path"
            )
