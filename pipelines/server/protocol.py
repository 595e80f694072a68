"""The protocol side: tools listed and called over MCP, each call for whoever the connection belongs to."""

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from fabric.errors import FabricError
from fabric.generation.messages import as_text
from fabric.narrowing import is_dict
from fabric.sessions.toolhost import ToolHost
from fabric.telemetry.logger import logger

from .offer import DESTROYING, Offer, writes

NAME = "thought-fabric"
INTRODUCING = ("initialize", "server/discover")
"""What a client begins with, in the older and the newer protocol: the answer has the instructions."""
MAX_ARGUMENT_CHARS = 1_000_000
"""How long the arguments of a call may be, as JSON."""


def memory_server(offer: Offer, host: Callable[[], ToolHost]) -> Server[Any]:
    """Return the server of an offer; ``host`` gives, inside a request, the tools of whoever sent it."""
    listed = [
        Tool(
            name=name,
            title=name.replace("_", " ").capitalize(),
            description=tool.description,
            input_schema=_plain_schema(tool.arguments),
            annotations=ToolAnnotations(
                read_only_hint=not writes(tool),
                destructive_hint=name in DESTROYING,
                open_world_hint=False,
            ),
        )
        for name, tool in offer.tools.items()
    ]

    async def list_tools(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def call_tool(_: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        if params.name not in offer.tools:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name!r}; use one of: {', '.join(offer.tools)}")
        raw = json.dumps(params.arguments or {}, ensure_ascii=False)
        if len(raw) > MAX_ARGUMENT_CHARS:
            raise MCPError(
                INVALID_PARAMS, f"the arguments have {len(raw)} characters; at most {MAX_ARGUMENT_CHARS} are taken"
            )
        try:
            return _result(await host().acall(params.name, raw), offer.tools[params.name].shown or as_text)
        except FabricError as error:
            return _refused(str(error), "The memory cannot do it now: tell the user, and go on without it.")

    async def introduce(ctx: ServerRequestContext[Any], call_next: CallNext) -> HandlerResult:
        answer = await call_next(ctx)
        if ctx.method not in INTRODUCING or not isinstance(answer, dict):
            return answer
        header = await _header(offer, host())
        return {**answer, "instructions": f"{answer['instructions']}\n\n{header}"} if header else answer

    server: Server[Any] = Server(
        NAME,
        version=version(NAME),
        instructions=offer.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(introduce)
    return server


async def _header(offer: Offer, host: ToolHost) -> str:
    try:
        return await offer.header(host)
    except FabricError as error:
        logger(block=NAME).warning("a client begins without what is in mind", error=str(error))
        return ""


class _Untitled(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002  titles repeat the names
        return False


def _plain_schema(arguments: type[BaseModel]) -> dict[str, Any]:
    """Return the schema with its defaults and limits: what has a default may be left out of a call."""
    schema = arguments.model_json_schema(schema_generator=_Untitled)
    return {key: value for key, value in schema.items() if key not in ("title", "description")}


def _result(answer: dict[str, Any], shown: Callable[[Any], str]) -> CallToolResult:
    """Return the answer twice: as the text that a model is shown, and as it is, for programs."""
    if not answer["success"]:
        return _refused(answer["error"], answer["do"])
    output = answer["output"]
    structured = output if is_dict(output) else {"result": output}
    return CallToolResult(content=[TextContent(text=shown(output))], structured_content=structured)


def _refused(error: str, do: str) -> CallToolResult:
    failed = {"error": error, "do": do}
    text = json.dumps(failed, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=failed, is_error=True)
