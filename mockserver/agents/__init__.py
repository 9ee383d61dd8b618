"""The tools by which agents use the mock server, in the Model Context Protocol (MCP).

The package itself is what the assembly plugs in: the operation, and what speaks the protocol at its path.
Every start imports it, and nothing else of it.
"""

from functools import partial
from importlib import import_module
from pathlib import Path

from starlette.types import Receive, Scope, Send

from mockserver.server.edge.app import App

OPERATIONS = Path(__file__).with_name("operations.txt")
"""Where each operation is declared, which `python docs/generate.py` writes."""


def plug_in(app: App) -> None:
    """Speak the protocol, with all tools or with those that only read."""
    app.protocols["mcp"] = partial(_serve, app, False)
    app.protocols["mcp-read-only"] = partial(_serve, app, True)


async def _serve(app: App, read_only: bool, scope: Scope, receive: Receive, send: Send) -> None:
    # Imported on first use, and by name: it uses the assembly, which imports this module.
    await import_module("mockserver.agents.serving").serve_http(app, read_only, scope, receive, send)
