"""From what a user writes as ``embedder=`` to an embedder."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import ConfigurationError
from ..lazy import lazy
from .base import Embedder
from .callable import CallableEmbedder
from .files import is_installed
from .static import PACKAGE, StaticEmbedder, TokenTable

if TYPE_CHECKING:
    from ..models import litellm
    from . import joined, minilm, remote
else:
    joined = lazy(".joined", __package__)
    litellm = lazy("..models.litellm", __package__)
    minilm = lazy(".minilm", __package__)
    remote = lazy(".remote", __package__)

EmbedderChoice: TypeAlias = "str | Embedder | Callable[..., Any] | None"
"""``"default"``, ``"minilm"``, a litellm model id, an embedder, a function of texts; None or ``"none"`` for words only.

A litellm id has its provider before a slash, or is the name of an embedding model that litellm lists.
"""
_EXPECTED = (
    'expected "default", "minilm", a litellm model id such as "openai/text-embedding-3-small", '
    "an embedder (name, dimension, embed), a function of texts, or None"
)

_STATIC = StaticEmbedder()
"""One for the process: its table is 16 MB."""


def default_embedder() -> StaticEmbedder | None:
    """Return the static model, or None where its package is not installed: recall then works by words alone."""
    return _STATIC if is_installed(PACKAGE) else None


def embedder_of(choice: EmbedderChoice) -> Embedder | None:
    """Return the embedder that was asked for; None for None, and for ``"default"`` where it is not installed.

    ``"minilm"`` is MiniLM beside the static model, where that is installed, and alone elsewhere.
    Nothing is loaded yet. ConfigurationError for a missing package, with what to install, and for anything else.

    >>> embedder_of("minillm")
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: embedder 'minillm' is unknown, did you mean 'minilm'? expected "default", \
"minilm", a litellm model id such as "openai/text-embedding-3-small", an embedder (name, dimension, embed), \
a function of texts, or None
    """
    if isinstance(choice, str) and choice.strip():
        return _named(choice.strip())
    if choice is None or isinstance(choice, Embedder):
        return choice
    if callable(choice):
        return CallableEmbedder(choice)
    raise ConfigurationError(f"embedder is {choice!r}; {_EXPECTED}")


def _named(name: str) -> Embedder | None:
    if name in _OWN:
        return _OWN[name]()
    if "/" not in name:
        _check_listed(name)

    return remote.RemoteEmbedder(name)


def _check_listed(name: str) -> None:
    """Raise ConfigurationError unless a name without a provider is that of a model that litellm lists."""
    listed = litellm.embedding_models()
    if name in listed:
        return
    near = get_close_matches(name, [*_OWN, *listed], n=1)
    hint = f"did you mean {near[0]!r}? " if near else f'with its provider it may be "<provider>/{name}"; '
    raise ConfigurationError(f"embedder {name!r} is unknown, {hint}{_EXPECTED}")


def word_table(embedder: Embedder | None) -> TokenTable | None:
    """Return what gives vectors of single words beside an embedder: its own table, else the static model's.

    None without an embedder, and where the static model is not installed.
    """
    own = getattr(embedder, "tokens", None)
    if isinstance(own, TokenTable) or embedder is None:
        return own
    static = default_embedder()
    return None if static is None else static.tokens


def _minilm() -> Embedder:

    missing = [package for package in minilm.PACKAGES if not is_installed(package)]
    if missing:
        raise ConfigurationError(f"embedder 'minilm' needs {', '.join(missing)}: {minilm.ADVICE}")
    static = default_embedder()
    return minilm.MiniLMEmbedder() if static is None else joined.JoinedEmbedder(static, minilm.MiniLMEmbedder())


_OWN: Mapping[str, Callable[[], Embedder | None]] = {
    "default": default_embedder,
    "minilm": _minilm,
    "none": lambda: None,
}
