"""The server of the Model Context Protocol, by its official SDK: over standard streams, and over HTTP."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
import httpx
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Scope, Send

from mockserver.agents import resources
from mockserver.agents.bounds import fit
from mockserver.agents.context import NEXT_STEPS, Context, ToolError
from mockserver.agents.tools import TOOLS, Tool
from mockserver.kernel.spelling import say_unknown
from mockserver.server.edge.app import App
from mockserver.testing.client import MockServer
from mockserver.testing.connection import ControlApiError
from mockserver.testing.transports.in_process import CrossLoopTransport, ServerLoop
from mockserver.version import __version__

T = TypeVar("T")

_INSTRUCTIONS = Path(__file__).with_name("instructions.md").read_text(encoding="utf-8").strip()


def make_server(context: Context) -> Server[Any]:
    """A server of the protocol for a context, with the tools that it has."""
    tools = {
        name: tool
        for name, tool in TOOLS.items()
        if (tool.kind == "reads" or not context.read_only) and (context.is_own or not tool.is_own)
    }

    return Server(
        "mockserver",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=_handler(lambda _: types.ListToolsResult(tools=[*map(_listed, tools.values())])),
        on_call_tool=_handler(lambda asked: run_tool(context, tools, asked.name, asked.arguments or {})),
        on_list_resources=_handler(lambda _: types.ListResourcesResult(resources=resources.listed())),
        on_list_resource_templates=_handler(
            lambda _: types.ListResourceTemplatesResult(resource_templates=resources.TEMPLATES)
        ),
        on_read_resource=_handler(lambda asked: resources.read(context, asked.uri)),
        on_list_prompts=_handler(lambda _: types.ListPromptsResult(prompts=resources.PROMPTS)),
        on_get_prompt=_handler(lambda asked: resources.prompt(context, asked.name, asked.arguments or {})),
    )


def _handler(answer: Callable[[Any], T]) -> Callable[[Any, Any], Awaitable[T]]:
    """What the SDK calls. It works on a thread, as tools may wait; its errors are those of the protocol."""

    async def handle(_: Any, params: Any) -> T:
        try:
            return await anyio.to_thread.run_sync(answer, params)
        except Exception as error:
            raise MCPError(types.INVALID_PARAMS, _explain(error, "what was asked for")) from None

    return handle


def _listed(tool: Tool) -> types.Tool:
    is_read, destroys = tool.kind == "reads", tool.kind == "destroys"
    hints = types.ToolAnnotations(
        read_only_hint=is_read, destructive_hint=destroys, idempotent_hint=is_read or destroys
    )
    return types.Tool(
        name=tool.name, description=tool.describe(), input_schema=tool.schema(), annotations=hints
    )


def run_tool(
    context: Context, tools: dict[str, Tool], name: str, arguments: dict[str, Any]
) -> types.CallToolResult:
    """What a tool answers, or an error, which says what to do next."""
    try:
        if name not in tools:
            raise ToolError(say_unknown("a tool here", name, tools), "list the tools")
        # Models write null for what they do not mean to give.
        given = {each: value for each, value in arguments.items() if value is not None}
        text, is_error = fit(tools[name].run(context, given)), False
    except Exception as error:
        text, is_error = fit(_explain(error, f"the tool {name}")), True
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=is_error)


def _explain(error: Exception, asked: str) -> str:
    """What is wrong, and what to do next. Called where the error is handled."""
    if isinstance(error, ControlApiError):
        problem = str(error.problem.get("type")).rpartition(":")[2]
        return f"{error}\nNext: {NEXT_STEPS.get(problem, 'correct the argument that is named')}"
    if isinstance(error, ToolError):
        return str(error)
    if isinstance(error, httpx.HTTPError):
        return f"the server does not answer: {type(error).__name__}\nNext: start starts one, or finds one"
    if isinstance(error, (ValueError, httpx.InvalidURL)):
        # Such as infinity, which the SDK reads, and JSON does not have, or a query of 64 KiB.
        return f"an argument cannot be sent: {error}\nNext: correct it"
    # Whatever it was, the next call is to work, and the log is to show it.
    logging.getLogger(__name__).exception("%s failed", asked)
    return f"{asked} failed: {type(error).__name__}\nNext: give other arguments"


def serve_stdio(url: str | None, *, read_only: bool) -> None:
    """Serve on standard input and output until the input ends."""
    context = Context(url=url, read_only=read_only)
    server = make_server(context)

    async def serve() -> None:
        async with stdio_server() as (reader, writer):
            await server.run(reader, writer, server.create_initialization_options())

    try:
        anyio.run(serve)
    finally:
        context.close()


async def serve_http(app: App, read_only: bool, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a message that came over HTTP. What it asks for goes to the application in this process."""
    host = dict(scope["headers"]).get(b"host", b"127.0.0.1").decode("latin-1")
    url = f"{scope.get('scheme', 'http')}://{host}{scope.get('root_path', '')}"
    transport = CrossLoopTransport(app, ServerLoop(asyncio.get_running_loop()))
    token = app.pipeline.server.access.token
    with MockServer(url, transport=transport, control_token=token) as control:
        server = make_server(Context(control, read_only=read_only))
        # One for each message: without sessions there is nothing that outlives it.
        manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)
