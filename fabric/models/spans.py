"""What spans say of model calls, in the words of OpenTelemetry's conventions for generative AI; never what was said."""

from ..telemetry.tracing import SILENT, Attributes, Span, active, span
from ..usage import Usage
from .base import Reply, Request

_PROVIDERS = {
    "azure": "azure.ai.openai",
    "azure_ai": "azure.ai.inference",
    "bedrock": "aws.bedrock",
    "gemini": "gcp.gemini",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "vertex_ai": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""The names of the conventions, where they differ from the prefix of a model id."""
_FAMILIES = {
    "claude": "anthropic",
    "command": "cohere",
    "gemini": "gcp.vertex_ai",
    "gpt": "openai",
    "chatgpt": "openai",
    "text-embedding": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
}
"""Who answers to a model id without a prefix, by its first letters."""
UNKNOWN = "_OTHER"


def provider_and_model(model: str) -> tuple[str, str]:
    """Return the provider and the model that an id names.

    >>> provider_and_model("mistral/mistral-small"), provider_and_model("gpt-5-mini")
    (('mistral_ai', 'mistral-small'), ('openai', 'gpt-5-mini'))
    """
    prefix, slash, rest = model.partition("/")
    if slash and prefix and rest:
        return _PROVIDERS.get(prefix, prefix), rest
    return next((provider for start, provider in _FAMILIES.items() if model.startswith(start)), UNKNOWN), model


def target(model: str) -> Attributes:
    """Return the attributes that say which model of which provider is asked."""
    provider, name = provider_and_model(model)
    return {"gen_ai.provider.name": provider, "gen_ai.request.model": name}


def chat(request: Request, *, stream: bool = False) -> Span:
    """Begin the span of one model call, with all tries that its client makes."""
    if not active():
        return SILENT
    asked = {
        "gen_ai.request.temperature": request.temperature,
        "gen_ai.request.max_tokens": request.max_tokens,
        "gen_ai.request.stream": stream or None,
        "gen_ai.output.type": None if request.schema is None else "json",
    }
    given = {key: value for key, value in asked.items() if value is not None}
    return _call("chat", request.model, given)


def embeddings(model: str) -> Span:
    """Begin the span of one request for embeddings, with all its tries."""
    return _call("embeddings", model, {}) if active() else SILENT


def answered(call: Span, reply: Reply) -> None:
    """Note who answered a model call, why it ended and what it cost."""
    call.note({"gen_ai.response.finish_reasons": [reply.finish], "gen_ai.response.model": reply.model})
    charged(call, reply.usage)


def charged(call: Span, usage: Usage) -> None:
    """Note what a call used; the conventions have no word for money."""
    call.note({"gen_ai.usage.input_tokens": usage.input_tokens, "fabric.usage.cost": usage.cost})
    if usage.output_tokens:
        call.note({"gen_ai.usage.output_tokens": usage.output_tokens})


def failed(call: Span, error: BaseException, usage: Usage) -> None:
    """Note that a call failed, by the provider's own error where there is one, and what it cost all the same."""
    call.fail(error.__cause__ or error)
    if usage != Usage():
        charged(call, usage)


def _call(operation: str, model: str, attributes: Attributes) -> Span:
    _, name = provider_and_model(model)
    return span(
        f"{operation} {name}",
        {"gen_ai.operation.name": operation, **target(model), **attributes},
        kind="client",
    )
