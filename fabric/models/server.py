"""Where a model is reached that is not at its provider's usual address: an own server, a proxy, a gateway."""

from dataclasses import dataclass, field

from ..errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class ModelServer:
    """The address of an OpenAI-compatible server, its key, and whether it is sent a ``response_format``.

    ``api_base`` usually ends in ``/v1``; "" is the provider's own address. ``api_key`` "" is the one of the provider's
    environment variable, or none. ``response_format`` None sends one to the models that litellm lists as able to follow
    it, True to every model; a model that refuses it is asked in words from then on, as are all with False.
    ConfigurationError for an address without a scheme.

    >>> ModelServer("http://localhost:11434/v1", api_key="secret")
    ModelServer(api_base='http://localhost:11434/v1', response_format=None)
    """

    api_base: str = ""
    api_key: str = field(default="", repr=False)
    response_format: bool | None = None

    def __post_init__(self) -> None:
        if self.api_base and not self.api_base.startswith(("http://", "https://")):
            raise ConfigurationError(
                f"api_base is {self.api_base!r}; expected an address such as http://localhost:8000/v1"
            )

    @property
    def address(self) -> dict[str, str]:
        """What is given of address and key, as litellm takes it."""
        given = {"api_base": self.api_base, "api_key": self.api_key}
        return {name: value for name, value in given.items() if value}


def server_of(api_base: str = "", api_key: str = "", response_format: bool | None = None) -> ModelServer | None:
    """Return the server that options name, None when they leave all to the model client."""
    if not api_base and not api_key and response_format is None:
        return None
    return ModelServer(api_base, api_key, response_format)
