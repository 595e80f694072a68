"""Vectors of texts: one small protocol, a static model by default, local and remote models, any callable."""

from .base import Embedder, embed_and_identify, embed_texts, identity, same_model
from .choose import default_embedder, embedder_of, word_table

__all__ = [
    "Embedder",
    "default_embedder",
    "embed_and_identify",
    "embed_texts",
    "embedder_of",
    "identity",
    "same_model",
    "word_table",
]
