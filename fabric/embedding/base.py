"""The seam to embedders: what one must do, how it is called, and how a change of the model is noticed."""

import inspect
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from ..errors import EmbedderError, ModelError
from ..lazy import lazy
from ..models.wire import sendable
from ..telling import error_text
from ..threads.portal import elsewhere

if TYPE_CHECKING:
    import numpy as np
    from numpy import float32
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Vectors: TypeAlias = "NDArray[float32]"
"""Shape (texts, dimension); each row has length 1, or 0 for a text without meaning."""

LONGEST = 6_000
"""Characters of a text that are embedded: models read less, and the words behind are still found as words."""
AT_ONCE = 64
"""Texts that a quick embedder takes on the caller's own thread: some milliseconds."""
PROBE = "Ann moved to Lisbon in May 2021 and likes green tea; her brother repairs old clocks."
"""The text whose vector tells two models apart."""
UNIT = 1e-6
"""How far the square of a length may be from 1."""
SAMPLES = 16
TOLERANCE = 6
"""How far apart the bytes of two fingerprints of one model may be on average: providers and processors round."""


@runtime_checkable
class Embedder(Protocol):
    """Whoever turns texts into vectors.

    ``embed`` may be a coroutine function. One that is not runs on a thread, unless the embedder has a true attribute
    ``quick``, which promises that ``AT_ONCE`` texts take a few milliseconds. Texts come without lone surrogates, not
    blank, at most ``LONGEST`` characters long. Any error it raises becomes an EmbedderError. One that was made for a
    single language says so in an attribute ``language`` ("english"): what is asked in others goes rather by its words.
    """

    @property
    def name(self) -> str:
        """The model's name, as stored beside its vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers per vector; 0 while that is not known, before the first text."""
        ...

    def embed(self, texts: Sequence[str]) -> "Vectors | Awaitable[Vectors]":
        """Return one row per text, shape (texts, dimension)."""
        ...


async def embed_texts(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Return vectors of shape (texts, dimension) in float32: rows of length 1, zeros for blank texts, never NaN.

    The embedder is called once, or not at all when every text is blank. A row that is not finite becomes zeros.
    EmbedderError when the embedder fails or returns something else.
    """
    asked = [index for index, text in enumerate(texts) if text.strip()]
    if not asked:
        return np.zeros((len(texts), embedder.dimension), np.float32)
    raw = await _called(embedder, [sendable(texts[index][:LONGEST]) for index in asked])
    rows = unit_rows(_checked(embedder, raw, len(asked)))
    if len(asked) == len(texts):
        return rows
    vectors = np.zeros((len(texts), rows.shape[1]), np.float32)
    vectors[asked] = rows
    return vectors


async def identity(embedder: Embedder) -> str:
    """Return ``name/dimension/fingerprint``, which differs for a different model of equal dimension.

    The fingerprint comes from the vector of a fixed text: it costs one call, so keep the answer. Compare two answers
    with `same_model`. EmbedderError when the embedder fails.
    """
    return (await embed_and_identify(embedder, []))[1]


async def embed_and_identify(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, str]:
    """Return what `embed_texts` and `identity` return, for the price of one call."""
    vectors = await embed_texts(embedder, [PROBE, *texts])
    return vectors[1:], f"{embedder.name}/{vectors.shape[1]}/{_fingerprint(vectors[0])}"


def same_model(name: str, other: str) -> bool:
    """Return whether two identities are of one model: equal names and dimensions, fingerprints equal but for rounding.

    >>> same_model("a/3/7f0081", "a/3/7f0180"), same_model("a/3/7f0081", "a/3/00817f")
    (True, False)
    """
    if name == other:
        return True
    *model, fingerprint = name.rsplit("/", 2)
    *other_model, other_fingerprint = other.rsplit("/", 2)
    if model != other_model or len(fingerprint) != len(other_fingerprint):
        return False
    try:
        apart = [abs(a - b) for a, b in zip(_signed(fingerprint), _signed(other_fingerprint), strict=True)]
    except ValueError:
        return False
    return sum(apart) <= TOLERANCE * len(apart)


def unit_rows(rows: Any) -> Vectors:
    """Return the rows in float32 with length 1; rows of zeros or with numbers that are not finite become zeros.

    >>> import numpy as np
    >>> unit_rows(np.array([[3e300, 4e300], [0, 0], [np.nan, 1]])).round(3).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0], [0.0, 0.0]]
    """
    wide = np.asarray(rows, np.float64)
    squares = np.einsum("ij,ij->i", wide, wide)
    if (abs(squares - 1) < UNIT).all():  # most embedders have done it, and every question waits for this
        return wide.astype(np.float32)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    usable = np.isfinite(largest) & (largest > 0)
    scaled = np.divide(wide, largest, out=np.zeros_like(wide), where=usable)
    lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    found: Vectors = np.divide(scaled, lengths, out=scaled, where=lengths > 0).astype(np.float32)
    return found


async def _called(embedder: Embedder, texts: list[str]) -> Any:
    try:
        if inspect.iscoroutinefunction(embedder.embed):
            return await embedder.embed(texts)
        if getattr(embedder, "quick", False) and len(texts) <= AT_ONCE:
            found = embedder.embed(texts)
        else:
            found = await elsewhere(lambda: embedder.embed(texts))
        return await found if inspect.isawaitable(found) else found
    except EmbedderError:
        raise
    except ModelError as error:
        raise EmbedderError(str(error), usage=error.usage) from error
    except Exception as error:
        raise EmbedderError(f"embedder {embedder.name!r} failed on {len(texts)} texts: {error_text(error)}") from error


def _checked(embedder: Embedder, raw: Any, count: int) -> Any:

    try:
        rows = np.asarray(raw, np.float64)
    except (TypeError, ValueError) as error:
        raise EmbedderError(f"embedder {embedder.name!r}: expected rows of numbers, got {_shown(raw)}") from error
    wanted = f"({count}, {embedder.dimension or 'dimension'})"
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] != (embedder.dimension or rows.shape[1] or 1):
        raise EmbedderError(f"embedder {embedder.name!r}: expected vectors of shape {wanted}, got {rows.shape}")
    return rows


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _fingerprint(vector: Vectors) -> str:

    places = np.linspace(0, len(vector) - 1, min(SAMPLES, len(vector))).astype(int)
    # A coordinate of a unit vector is about 1 / sqrt(dimension): three times that fills a byte.
    scaled = np.rint(vector[places] * np.sqrt(len(vector)) * (127 / 3))
    return bytes(np.clip(scaled, -127, 127).astype(np.int8)).hex()


def _signed(fingerprint: str) -> list[int]:
    return [byte - 256 if byte > 127 else byte for byte in bytes.fromhex(fingerprint)]
