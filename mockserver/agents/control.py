"""The operation that takes messages of MCP, behind the checks of the control API."""

from importlib.util import find_spec

from pydantic_core import from_json

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.errors import ApiError
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlQuery, invalid
from mockserver.server.control.groups import ControlGroup

agents = ControlGroup("Agents", below="/_mock")


class AgentQuery(ControlQuery):
    """Which tools there are."""

    read_only: bool = False
    """Only the tools that change nothing."""


@agents.operation(
    "POST /mcp",
    "HandleMcpMessage",
    errors.CONTROL_EXTRA_MISSING,
    errors.CONTROL_NO_CONNECTION,
    errors.CONTROL_INVALID,
    reads="application/json",
    writes=("application/json",),
)
def handle_message(call: ControlCall[None, AgentQuery, None]) -> Reply:
    """Take a message of the Model Context Protocol (streamable HTTP, without sessions)."""
    if find_spec("mcp") is None:
        raise ApiError(errors.CONTROL_EXTRA_MISSING, package="mcp", extra="mcp")
    try:
        # The SDK reads what is no number in JSON, such as NaN, and a tool would get it as nothing.
        from_json(call.request.body, allow_inf_nan=False)
    except ValueError as wrong:
        raise invalid("body", f"is not JSON: {wrong}") from None
    return Reply(protocol="mcp-read-only" if call.query.read_only else "mcp")
