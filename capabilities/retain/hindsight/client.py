"""The official client of a Hindsight server, behind a few calls of ours. No other file knows that library.

It takes seconds to import, so this file is loaded where a server is asked first, on a thread of its own.
"""

# the errors of hindsight_client_api have fields without types:
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import aiohttp
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.reflect_fact import ReflectFact
from pydantic import ValidationError

from fabric.clock import utc
from fabric.telemetry.logger import logger
from fabric.telling import error_text

from ..config import HindsightConfig
from ..record import Carried, Found, Reflection
from ..transcript import said_by_user
from .errors import HindsightError, address, refused_by
from .found import MentalModel, Seed

T = TypeVar("T")
NOT_FOUND = 404
PAGE = 100
"""How many documents are asked for at once."""
OWN_TIMEOUT = frozenset({"retain", "recall", "reflect"})
"""The calls that have an option of their own for how long they may take."""
_CUT_OFF = (aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError, aiohttp.ClientOSError, ConnectionError)

_UNREADABLE = (ValidationError, ValueError, TypeError, KeyError, AttributeError)
"""What the client's library raises over an answer of another shape."""


class Remote:
    """One bank of a server. All calls, and `aclose`, belong to one event loop; each raises HindsightError."""

    def __init__(self, config: HindsightConfig, bank_id: str) -> None:
        self._config = config
        self._bank = bank_id
        self._client = Hindsight(
            base_url=config.api_url.strip(),
            api_key=config.api_token or None,
            timeout=1
            + max(  # a call is ended by ours, which says which one it was
                config.request_timeout, config.recall_timeout, config.retain_timeout, config.reflect_timeout
            ),
            user_agent="thought-fabric",
            max_attempts=1,  # what fails is told, and what was to be kept is sent again by the queue
        )

    async def retain(self, items: Sequence[Mapping[str, Any]], operation_id: str) -> None:
        """Send items, to be taken in behind the answer; those of one ``operation_id`` are taken once."""
        given = [dict(item) for item in items]
        taken = await self._ask(
            "retain",
            lambda: self._client.aretain_batch(self._bank, given, retain_async=True, operation_id=operation_id),
        )
        if not taken.success:
            raise HindsightError(f"the Hindsight server at {address(self._config.api_url)} says that it took nothing")

    async def operation(self, operation_id: str) -> tuple[str, str]:
        """Return how far the server is with what it took, as "pending", "completed" or "failed", and its error."""
        found = await self._ask(
            "operation", lambda: self._client.operations.get_operation_status(self._bank, operation_id)
        )
        return found.status, found.error_message or ""

    async def retry(self, operation_id: str) -> None:
        """Have the server try again what it failed over."""
        await self._ask("operation", lambda: self._client.operations.retry_operation(self._bank, operation_id))

    async def recall(self, query: str, tags: Sequence[str]) -> list[Found]:
        """Return what the server recalls of a question, best first."""
        config = self._config
        found = await self._ask(
            "recall",
            lambda: self._client.arecall(
                self._bank,
                query,
                types=list(config.recall_types) or None,
                max_tokens=config.recall_max_tokens,
                budget=config.recall_budget,
                tags=list(tags) or None,
                tags_match=config.tags_match,
            ),
        )
        return [
            Found(
                item.text,
                id=item.id,
                kind=item.type or "",
                source=item.context or "",
                said_at=_time(item.mentioned_at),
                full_length=len(item.text),
                bank=self._bank,
            )
            for item in found.results
        ]

    async def reflect(self, query: str, context: str, tags: Sequence[str]) -> Reflection:
        """Return what the server says about a question."""
        config = self._config
        found = await self._ask(
            "reflect",
            lambda: self._client.areflect(
                self._bank,
                query,
                budget=config.reflect_budget,
                context=context or None,
                tags=list(tags) or None,
                tags_match=config.tags_match,
                include_facts=True,
            ),
        )
        facts: list[ReflectFact] = (found.based_on.memories if found.based_on is not None else None) or []
        return Reflection(found.text.strip(), tuple(fact.id for fact in facts if fact.id))

    async def create_bank(self, mission: str = "") -> None:
        """Make the bank, or give the one there is its mission."""
        said = mission or None
        await self._ask(
            "bank", lambda: self._client.acreate_bank(self._bank, reflect_mission=said, retain_mission=said)
        )

    async def mental_models(self) -> list[MentalModel]:
        """Return the bank's mental models with what they say."""
        found = await self._ask(
            "mental models", lambda: self._client.alist_mental_models(self._bank, detail="content", limit=1000)
        )
        return [
            MentalModel(model.id, model.name, model.content or "", tuple(model.tags or ())) for model in found.items
        ]

    async def create_mental_model(self, seed: Seed, model_id: str, tags: Sequence[str]) -> None:
        """Make a mental model; the server writes what it says later, and anew after each consolidation."""
        await self._ask(
            "mental model",
            lambda: self._client.acreate_mental_model(
                self._bank,
                seed.name,
                seed.source_query,
                tags=list(tags) or None,
                max_tokens=seed.max_tokens,
                trigger={"mode": "delta", "refresh_after_consolidation": True},
                id=model_id,
            ),
        )

    async def documents(self, tags: Sequence[str]) -> list[Carried]:
        """Return what was given to the bank with one of these tags, or with none, oldest first."""
        found = [await self._document(name) for name in await self._document_names(tags)]
        held = [document for document in found if document is not None and document.content.strip()]
        return sorted(held, key=lambda document: document.said_at.timestamp() if document.said_at is not None else 0.0)

    async def holds(self, carried: Carried) -> bool:
        """Return whether the bank was given this under its name, in the same words."""
        known = await self._document(carried.document)
        return known is not None and known.content.strip() == carried.content.strip()

    async def _document_names(self, tags: Sequence[str]) -> list[str]:
        names: list[str] = []
        match = self._config.tags_match if tags else None
        while True:
            page = await self._known(
                partial(
                    self._client.documents.list_documents,
                    self._bank,
                    tags=list(tags) or None,
                    tags_match=match,
                    time_field="created_at",
                    limit=PAGE,
                    offset=len(names),
                )
            )
            if page is None:
                return []
            names += [item.id for item in page.items]
            if len(page.items) < PAGE:
                return list(dict.fromkeys(names))

    async def _document(self, name: str) -> Carried | None:
        found = await self._known(lambda: self._client.documents.get_document(self._bank, name))
        if found is None:
            return None
        text, params = found.original_text or "", found.retain_params or {}
        user_text = said_by_user(text)
        return Carried(
            document=found.id,
            content=text,
            context=str(params.get("context") or ""),
            said_at=_time(str(params.get("event_date") or found.created_at)),
            is_transcript=bool(user_text),
            user_text=user_text,
        )

    async def _known(self, call: Callable[[], Awaitable[T]]) -> T | None:
        """Return the answer about documents, None where the server knows no such bank or document."""
        try:
            return await self._ask("documents", call)
        except HindsightError as error:
            if error.status_code == NOT_FOUND:
                return None
            raise

    async def aclose(self) -> None:
        """Close the connections."""
        close: Callable[[], Awaitable[None]] = self._client.aclose
        await close()

    async def _ask(self, what: str, call: Callable[[], Awaitable[T]]) -> T:
        url = address(self._config.api_url)
        option = f"{what}_timeout" if what in OWN_TIMEOUT else "request_timeout"
        seconds: float = getattr(self._config, option)
        try:
            async with asyncio.timeout(seconds):
                answer = await call()
        except ApiException as error:
            if error.status is None or error.status < 400:
                raise _unreadable(url, error) from error
            raise refused_by(
                url, error.status, str(error.body or error.reason or ""), retry_after=_retry_after(error.headers)
            ) from error
        except aiohttp.ClientResponseError as error:
            raise refused_by(url, error.status, error.message, retry_after=_retry_after(error.headers)) from error
        except TimeoutError as error:
            raise HindsightError(
                f"the Hindsight server at {url} gave no answer to {what} within {seconds:g} s: try again, or give it "
                f"longer ({option}, HINDSIGHT_{option.upper()}_MS)"
            ) from error
        except aiohttp.ClientConnectorError as error:
            raise HindsightError(
                f"no Hindsight server answers at {url} ({error.strerror or error_text(error)}): start it, or set "
                "HINDSIGHT_API_URL to where it is"
            ) from error
        except _CUT_OFF as error:
            raise HindsightError(
                f"the Hindsight server at {url} broke off in the middle of its answer to {what}: try again later"
            ) from error
        except (aiohttp.ClientError, *_UNREADABLE) as error:
            raise _unreadable(url, error) from error
        if answer is None:
            raise _unreadable(url, TypeError("null"))
        if self._config.debug:
            logger(bank=self._bank, url=url).info("asked Hindsight", what=what)
        return answer


def _time(text: str | None) -> datetime | None:
    try:
        return utc(datetime.fromisoformat(text or ""))
    except ValueError:
        return None


def _unreadable(url: str, error: BaseException) -> HindsightError:
    return HindsightError(
        f"what answers at {url} cannot be read as Hindsight's answer ({type(error).__name__}): check that "
        "HINDSIGHT_API_URL is the root of a Hindsight server of version 1"
    )


def _retry_after(headers: Any) -> float | None:
    """Return how many seconds a server asks to wait; None where it says no number."""
    try:
        seconds = float(headers["Retry-After"])
    except (TypeError, KeyError, ValueError):
        return None
    return seconds if 0 <= seconds < float("inf") else None
