"""What a block may declare with ``uses=[...]``: capabilities and resources, and nothing that only looks like one."""

from types import FunctionType
from typing import Any

from .capability import Capability
from .errors import ConfigurationError
from .resource import Collection, Document, Resource

Use = Capability[Any] | Resource


def check_use(use: object, block: str) -> None:
    """Raise ConfigurationError for what a block cannot declare."""
    if not isinstance(use, Capability | Document | Collection):
        hint = f"call it: {use.__name__}()" if isinstance(use, FunctionType) else "name its .capability"
        raise ConfigurationError(f"{block}: uses has {use!r}, no capability or resource; {hint}")
