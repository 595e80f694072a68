"""From what a user writes as ``embedder=`` to an embedder."""

from collections.abc import Callable
from typing import Any, TypeAlias

from ..errors import ConfigurationError
from .base import Embedder
from .callable import CallableEmbedder
from .files import is_installed
from .static import PACKAGE, StaticEmbedder, TokenTable

EmbedderChoice: TypeAlias = "str | Embedder | Callable[..., Any] | None"
"""``"default"``, ``"minilm"``, a litellm model id, an embedder, a function of texts, or None for words only."""

_STATIC = StaticEmbedder()
"""One for the process: its table is 16 MB."""


def default_embedder() -> StaticEmbedder | None:
    """Return the static model, or None where its package is not installed: recall then works by words alone."""
    return _STATIC if is_installed(PACKAGE) else None


def embedder_of(choice: EmbedderChoice) -> Embedder | None:
    """Return the embedder that was asked for; None for None, and for ``"default"`` where it is not installed.

    ``"minilm"`` is MiniLM beside the static model, where that is installed, and alone elsewhere.
    Nothing is loaded yet. ConfigurationError for a missing package, with what to install, and for anything else.

    >>> embedder_of("")
    Traceback (most recent call last):
    fabric.errors.ConfigurationError: embedder is ''; expected "default", "minilm", a litellm model id such as \
"openai/text-embedding-3-small", an embedder (name, dimension, embed), a function of texts, or None
    """
    if choice is None or choice == "default":
        return None if choice is None else default_embedder()
    if choice == "minilm":
        return _minilm()
    if isinstance(choice, str) and choice.strip():
        from .remote import RemoteEmbedder  # noqa: PLC0415  not everybody has a remote model

        return RemoteEmbedder(choice.strip())
    if isinstance(choice, Embedder):
        return choice
    if callable(choice):
        return CallableEmbedder(choice)
    raise ConfigurationError(
        f'embedder is {choice!r}; expected "default", "minilm", a litellm model id such as '
        '"openai/text-embedding-3-small", an embedder (name, dimension, embed), a function of texts, or None'
    )


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
    from .joined import JoinedEmbedder  # noqa: PLC0415  an extra
    from .minilm import ADVICE, PACKAGES, MiniLMEmbedder  # noqa: PLC0415

    missing = [package for package in PACKAGES if not is_installed(package)]
    if missing:
        raise ConfigurationError(f"embedder 'minilm' needs {', '.join(missing)}: {ADVICE}")
    static = default_embedder()
    return MiniLMEmbedder() if static is None else JoinedEmbedder(static, MiniLMEmbedder())
