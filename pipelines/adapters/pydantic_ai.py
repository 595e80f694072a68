"""The memory's tools as a toolset of Pydantic AI."""

from typing import Any

from pydantic_core import SchemaValidator, core_schema

from fabric.errors import ConfigurationError
from fabric.sessions.toolhost import ToolHost

try:
    from pydantic_ai import RunContext, ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
except ImportError as error:
    raise ImportError(
        "the toolset needs a version of Pydantic AI that it is tested with: "
        "pip install 'path/to/thought-fabric[pydantic-ai]'"
    ) from error

_ANY_OBJECT = SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))
"""The host checks arguments itself and answers what is wrong with them."""


class HostToolset(AbstractToolset[Any]):
    """The tools of a host for ``Agent(toolsets=[...])``; a failing call is answered with what is wrong, never raised.

    Whose memory it is comes from the host, never from a model's arguments. Closing the host is its owner's.
    """

    def __init__(self, host: ToolHost, *, id: str | None = "thought-fabric") -> None:
        if not isinstance(host, ToolHost):  # pyright: ignore[reportUnnecessaryIsInstance]  an untyped caller's
            raise ConfigurationError(
                f"HostToolset: {host!r} is no host: give ToolHost(file, ScopeIds(session=..., user=...), uses=[...])"
            )
        self.host = host
        self._id = id

    @property
    def id(self) -> str | None:
        """The toolset's name among those of an agent."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """Return the host's tools by name."""
        return {schema["name"]: self._tool(schema) for schema in (schema["function"] for schema in self.host.schemas())}

    async def get_instructions(self, ctx: RunContext[Any]) -> str | None:
        """Return what the host's capabilities put before a prompt, such as what is pinned in a mind."""
        return await self.host.aheader() or None

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[Any],
        tool: ToolsetTool[Any],
    ) -> str:
        """Carry out one call and return what the model is to be shown of it."""
        return await self.host.aanswer(name, tool_args)

    def _tool(self, schema: dict[str, Any]) -> ToolsetTool[Any]:
        definition = ToolDefinition(
            name=schema["name"],
            description=schema.get("description"),
            parameters_json_schema=schema.get("parameters") or {"type": "object", "properties": {}},
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=1, args_validator=_ANY_OBJECT)
