"""One try of a block: what was begun in it, so that another try can take it back."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .items import Item


@dataclass(eq=False, slots=True)
class Trial:
    """What a block has done in the try under way. ``is_retried`` says whether another try may follow.

    Only then items, jobs and effects are listed, those of the blocks inside included.
    """

    is_retried: bool = False
    tickets: list[Any] = field(default_factory=list[Any])
    """The background work that this run of a sequencer started."""
    calls: Counter[str] = field(default_factory=Counter[str])
    """How often each block was called directly inside."""
    items: list[Item] = field(default_factory=list[Item])
    jobs: list[Any] = field(default_factory=list[Any])
    effects: dict[str, Any] = field(default_factory=dict[str, Any])
