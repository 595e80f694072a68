"""Model files that other packages bring: found without importing those packages, and checked before use."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

from ..errors import EmbedderError


def is_installed(package: str) -> bool:
    """Return whether a package is there, without importing it.

    >>> is_installed("json"), is_installed("no_such_package")
    (True, False)
    """
    return find_spec(package) is not None


def model_file(package: str, name: str, sha256: str, advice: str) -> Path:
    """Return the path of a model file inside an installed package.

    EmbedderError with ``advice`` when the package is missing, has no such file, or has another one than was measured.
    """
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise EmbedderError(f"package {package!r} is not installed: {advice}")
    path = Path(folders[0], name)
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EmbedderError(f"{path}: cannot be read ({error.strerror}): {advice}") from error
    if found != sha256:
        raise EmbedderError(f"{path}: its sha256 is {found}, expected {sha256}: {advice}")
    return path
