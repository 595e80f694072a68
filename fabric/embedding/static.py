"""The default embedder: a static model, where the vector of a text is the mean of the vectors of its tokens.

The model is the 256-dimensional ``l2_supercat`` of the wordllama package, read from that package's files: importing
the package itself would configure logging for the whole program, and its loader looks into the network.
"""

# safetensors comes without types:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import regex

from ..lazy import lazy
from .base import Vectors
from .files import model_file

if TYPE_CHECKING:
    import numpy as np
    import safetensors
    import tokenizers
    from numpy import float32
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    safetensors = lazy("safetensors")
    tokenizers = lazy("tokenizers")

PACKAGE = "wordllama"
ADVICE = "install the static model with: pip install 'wordllama>=0.4,<0.5'; or use another embedder, or None"
WEIGHTS = (
    "weights/l2_supercat_256.safetensors",
    "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5",
)
TOKENIZER = (
    "tokenizers/l2_supercat_tokenizer_config.json",
    "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68",
)
DIMENSION = 256
TERM_DIMENSION = 64
"""The first numbers of a token's vector, trained to stand alone: enough to tell which words mean alike."""
TERMS_KEPT = 20_000
"""Words whose vectors are kept in memory: 5 MB."""
FOREIGN = regex.compile(r"(?=\p{L})\P{Latin}")
"""A letter of a script whose words the model cuts into single characters or bytes: their means say nothing."""
FEW_TEXTS = 8
"""Up to how many texts are embedded one by one: putting their tokens in one array costs more than it saves."""
TEXTS_AT_ONCE = 256
TOKENS_AT_ONCE = 16_384
"""Tokens whose vectors are gathered at once: 16 MB."""


@dataclass(frozen=True, eq=False, slots=True)
class _Model:
    tokenizer: Any
    table: Any
    """Shape (tokens, 256) in float32, 32 MB: sums of the shipped float16 take three times as long."""

    def ids(self, texts: Sequence[str]) -> Iterator[list[int]]:
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            some = list(texts[start : start + TEXTS_AT_ONCE])
            yield from (encoding.ids for encoding in self.tokenizer.encode_batch_fast(some, add_special_tokens=False))

    def means(self, texts: Sequence[str], dimension: int) -> Vectors:

        found: Vectors = np.zeros((len(texts), dimension), np.float32)
        if len(texts) <= FEW_TEXTS:
            for place, ids in enumerate(self.ids(texts)):
                if ids:  # summed as in a batch, so that a text has the same vector in both
                    found[place] = np.add.reduceat(self.table[ids], [0], axis=0)[0, :dimension] / len(ids)
            return found
        rest = enumerate(self.ids(texts))
        while some := list(islice(rest, TEXTS_AT_ONCE)):
            flat = list(chain.from_iterable(ids for _, ids in some))
            places = np.repeat([index for index, _ in some], [len(ids) for _, ids in some])
            for start in range(0, len(flat), TOKENS_AT_ONCE):
                own = places[start : start + TOKENS_AT_ONCE]
                begins = np.flatnonzero(np.diff(own, prepend=-1))
                rows = self.table[flat[start : start + TOKENS_AT_ONCE], :dimension]
                found[own[begins]] += np.add.reduceat(rows, begins, axis=0)
            found[[index for index, _ in some]] /= np.array([[max(1, len(ids))] for _, ids in some], np.float32)
        return found


class StaticEmbedder:
    """Text vectors of the static model; it loads itself at the first text and needs no network."""

    name = "wordllama-l2-supercat-256"
    dimension = DIMENSION
    language = "english"

    def __init__(self) -> None:
        self._lock = threading.Lock()

    @property
    def quick(self) -> bool:
        """Whether the model is loaded: then a text takes less than a tenth of a millisecond."""
        return "_model" in vars(self)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of length 1, shape (texts, 256); EmbedderError when the model is not installed as expected."""
        means = self._loaded().means(texts, DIMENSION).astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", means, means))[:, None]
        return np.asarray(means / np.where(lengths > 0, lengths, 1.0), np.float32)

    @cached_property
    def tokens(self) -> "TokenTable":
        """The vectors of single words, from the same model."""
        return TokenTable(self)

    def word_means(self, words: Sequence[str]) -> Vectors:
        """Return the mean of each word's token vectors, shape (words, 64), not scaled; zeros for a foreign word."""
        readable = ["" if FOREIGN.search(word) else word for word in words]
        return self._loaded().means(readable, TERM_DIMENSION)

    def _loaded(self) -> _Model:
        with self._lock:
            return self._model

    @cached_property
    def _model(self) -> _Model:
        weights, vocabulary = model_file(PACKAGE, *WEIGHTS, ADVICE), model_file(PACKAGE, *TOKENIZER, ADVICE)

        tokenizer = tokenizers.Tokenizer.from_file(str(vocabulary))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        with safetensors.safe_open(str(weights), "np") as tensors:
            return _Model(tokenizer, tensors.get_tensor("embedding.weight").astype(np.float32))


class TokenTable:
    """Vectors of single words, for finding words of like meaning: the mean of a word's pieces, 64 numbers, unscaled."""

    dimension = TERM_DIMENSION

    def __init__(self, model: StaticEmbedder) -> None:
        self._model = model
        self._kept: dict[str, NDArray[float32]] = {}

    def vector(self, word: str) -> "NDArray[float32] | None":
        """Return the vector of one word, shape (64,); None when it has none."""
        found = self.vectors([word])[0]
        return found if found.any() else None

    def vectors(self, words: Sequence[str]) -> Vectors:
        """Return the vectors of words, shape (words, 64); zeros for a word without one."""
        missing = [word for word in dict.fromkeys(words) if word not in self._kept]
        if len(self._kept) + len(missing) > TERMS_KEPT:
            self._kept, missing = {}, list(dict.fromkeys(words))
        new = dict(zip(missing, self._model.word_means(missing), strict=True)) if missing else {}
        if len(self._kept) + len(new) <= TERMS_KEPT:
            self._kept |= new
        rows = [self._kept[word] if word in self._kept else new[word] for word in words]
        return np.stack(rows) if rows else np.zeros((0, TERM_DIMENSION), np.float32)
