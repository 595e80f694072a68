"""Mental models for a prompt: those that a bank begins with, and the block that all of them make."""

import asyncio
import hashlib
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.telemetry.logger import logger
from fabric.text.prompt import escaped, memory_block

from ..banks import Bank
from ..config import HindsightConfig
from .errors import HindsightError
from .found import MentalModel, Seed
from .queue import Queue

if TYPE_CHECKING:
    from .client import Remote

CUT = "… (cut)"
LONGEST_ID = 64


@cache
def seeds() -> tuple[Seed, ...]:
    """Return the mental models that a bank begins with."""
    text = Path(__file__).with_name("seeds.json").read_text(encoding="utf-8")
    return tuple(Seed(**row) for row in json.loads(text))


class Models:
    """The mental models of one bank as one project sees them, kept for some minutes. On the loop of its queue."""

    def __init__(self, queue: Queue, bank: Bank) -> None:
        self.queue = queue
        self._bank = bank
        self._text = ""
        self._until: datetime | None = None
        self._loading: asyncio.Task[str] | None = None

    async def block(self, config: HindsightConfig, now: datetime) -> str:
        """Return the block, "" where there is nothing or where it takes longer than a first turn may wait.

        Then it is loaded nevertheless, for the next session.
        """
        if self._until is not None and now < self._until:
            return self._text
        if self._loading is None or self._loading.done():
            self._loading = asyncio.get_running_loop().create_task(self._load(config, now))
        with suppress(TimeoutError):
            async with asyncio.timeout(config.mental_model_first_turn_deadline):
                return await asyncio.shield(self._loading)
        return ""

    async def _load(self, config: HindsightConfig, now: datetime) -> str:
        try:
            remote = await self.queue.remote()
            models = await self._listed(remote, config)
            if config.mental_model_auto_seed:
                await self._seed(remote, config, {model.id for model in models})
        except HindsightError as error:
            logger(bank=self._bank.id).warning("no mental models in this prompt", error=str(error))
            return ""
        mine = [model for model in models if set(model.tags) <= set(self._bank.tags)]
        self._text = models_block(mine, config.mental_model_max_render_chars)
        self._until = now + timedelta(seconds=config.mental_model_refresh_interval)
        return self._text

    async def _listed(self, remote: "Remote", config: HindsightConfig) -> list[MentalModel]:
        try:
            return await remote.mental_models()
        except HindsightError as error:
            if not error.is_no_bank:
                raise
            with suppress(HindsightError):  # nobody wrote to it yet
                await remote.create_bank(config.bank_mission)
            return []

    async def _seed(self, remote: "Remote", config: HindsightConfig, there: set[str]) -> None:
        """Make those models that are missing: none is changed, nor made twice while a file is open."""
        for seed in seeds():
            if seed.project_tagged and config.scoping == "global":
                continue
            tags = self._bank.tags if seed.project_tagged else ()
            model_id = seed_id(seed, tags)
            if model_id not in there | self.queue.seeded:
                self.queue.seeded.add(model_id)
                with suppress(HindsightError):
                    await remote.create_mental_model(seed, model_id, tags)


def seed_id(seed: Seed, tags: Sequence[str]) -> str:
    """Return the id of a seed's model: projects that share a bank have one each.

    >>> seed = Seed("project-decisions", "Project decisions", "?", 800, True)
    >>> seed_id(seed, ()), seed_id(seed, ("project:fabric",)), seed_id(seed, ("project:Ä b",))
    ('project-decisions', 'project-decisions-fabric', 'project-decisions-b-043dba')
    """
    if not tags:
        return seed.id
    label = " ".join(tags).removeprefix("project:")
    plain = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
    if plain != label or len(plain) > LONGEST_ID - len(seed.id) - 1:
        known = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        plain = f"{plain[: LONGEST_ID - len(seed.id) - 8].strip('-')}-{known}".strip("-")
    return f"{seed.id}-{plain}"


def models_block(models: Sequence[MentalModel], most_chars: int) -> str:
    """Return the ``<mental_models>`` block of those that say something, by name; "" for none.

    They share ``most_chars`` characters: what a short one leaves, longer ones have. One that is cut says so.
    """
    said = sorted(
        ((escaped(model.name.strip()), escaped(model.content.strip()), model.id) for model in models if model.content),
        key=lambda row: (row[0].casefold(), row[2]),
    )
    texts = [f"## {' '.join(name.split())}\n{content}" for name, content, _ in said if content]
    if not texts:
        return ""
    room = _shares([len(text) for text in texts], most_chars - 2 * (len(texts) - 1))
    body = "\n\n".join(
        text if len(text) <= chars else f"{_whole(text, max(0, chars - len(CUT)))}{CUT}"
        for text, chars in zip(texts, room, strict=True)
    )
    return memory_block("mental_models", body)


def _whole(text: str, chars: int) -> str:
    """Return the beginning of an escaped text, not ending in the middle of an escape."""
    return re.sub(r"&[a-z]{0,3}$", "", text[:chars])


def _shares(lengths: Sequence[int], chars: int) -> list[int]:
    """Return how many characters each may have: as many as it needs, or as any that has too few.

    >>> _shares([10, 500, 300], 210)
    [10, 100, 100]
    """
    given = [0] * len(lengths)
    left = max(0, chars)
    for place, (length, index) in enumerate(sorted((length, index) for index, length in enumerate(lengths))):
        given[index] = min(length, left // (len(lengths) - place))
        left -= given[index]
    return given
