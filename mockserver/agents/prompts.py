"""Prompts: what people choose, to have an agent begin with the right tools (`prompts.yaml`)."""

from pathlib import Path

from mcp_types import GetPromptResult, Prompt, PromptMessage, TextContent

from mockserver.agents.bounds import fit
from mockserver.agents.context import Context, ToolError
from mockserver.agents.tools import TOOLS
from mockserver.kernel.spelling import quote
from mockserver.yaml_files import read_yaml_file

_DECLARED = read_yaml_file(Path(__file__).with_name("prompts.yaml"))
PROMPTS = [
    Prompt(name=name, title=row["title"], arguments=row["arguments"]) for name, row in _DECLARED.items()
]


def make(context: Context, name: str, arguments: dict[str, str]) -> GetPromptResult:
    """The messages of a prompt. ToolError for an unknown one."""
    operation = arguments.get("operation", "")
    if name not in _DECLARED:
        raise ToolError(f"there is no prompt {quote(name)}", "use " + " or ".join(_DECLARED))
    if name == "why_did_this_fail":
        # The protocol has texts only, and clients send what was left empty.
        given: dict[str, object] = {name: value for name, value in arguments.items() if value}
        if (n := arguments.get("n", "")).isdecimal():
            given["n"] = int(n)
        found = TOOLS["explain_call"].run(context, given)
    elif operation:
        found = TOOLS["read_docs"].run(context, {"words": operation})
    else:
        raise ToolError("operation is missing", "name one, which list_operations finds by words")
    text = _DECLARED[name]["text"].format(operation=operation, found=fit(found))
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])
