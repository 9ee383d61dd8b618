"""Clients of the tools: agents, as far as a script can be one."""

import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from mockserver.agents.context import Context
from mockserver.agents.serving import make_server

Use = Callable[["Agent"], Awaitable[None]]


class Agent:
    """Calls tools as an agent does, and keeps a transcript."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.transcript: list[tuple[str, dict[str, Any], str]] = []

    async def call(self, tool: str, **arguments: Any) -> str:
        """What a tool answers."""
        text, is_error = await self.attempt(tool, **arguments)
        assert not is_error, text
        return text

    async def refused(self, tool: str, **arguments: Any) -> str:
        """What a tool says that cannot do what is asked."""
        text, is_error = await self.attempt(tool, **arguments)
        assert is_error, text
        return text

    async def read(self, tool: str, **arguments: Any) -> Any:
        """What a tool answers, as JSON."""
        return json.loads(await self.call(tool, **arguments))

    async def attempt(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        """What a tool answers, and whether it is an error."""
        result = await self.client.call_tool(tool, arguments)
        (content,) = result.content
        assert content.type == "text"
        self.transcript.append((tool, arguments, content.text))
        return content.text, bool(result.is_error)


@asynccontextmanager
async def beside(context: Context) -> AsyncIterator[Agent]:
    """An agent whose tools are in this process."""
    async with Client(make_server(context)) as client:
        yield Agent(client)


@asynccontextmanager
async def by_stdio(*options: str, mode: str = "auto", folder: Path | None = None) -> AsyncIterator[Agent]:
    """An agent of `mockserver mcp`."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "mockserver", "mcp", *options], cwd=folder, env={**os.environ}
    )
    async with Client(stdio_client(command), mode=mode) as client:
        yield Agent(client)


@asynccontextmanager
async def by_http(url: str, query: str = "", mode: str = "auto") -> AsyncIterator[Agent]:
    """An agent of a server that listens."""
    async with Client(f"{url}/_mock/mcp{query}", mode=mode) as client:
        yield Agent(client)


def use(agent: Any, work: Use) -> None:
    """Let an agent work."""

    async def run() -> None:
        async with agent as ready:
            await work(ready)

    try:
        anyio.run(run)
    except BaseExceptionGroup as group:
        # The SDK works in groups of tasks: what went wrong is what is within.
        found: BaseException = group
        while isinstance(found, BaseExceptionGroup):
            found = found.exceptions[0]
        raise found from None
