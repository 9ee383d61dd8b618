"""Prompts: what people choose, to have an agent begin with the right tools."""

from importlib.resources import files

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from mockserver.agents.bounds import fit
from mockserver.agents.context import Context, ToolError
from mockserver.agents.tools import TOOLS
from mockserver.kernel.spelling import quote


def _prompt(name: str, title: str, **arguments: str) -> Prompt:
    taken = [PromptArgument(name=each, description=text, required=False) for each, text in arguments.items()]
    return Prompt(name=name, title=title, arguments=taken)


PROMPTS = [
    _prompt("write_a_test", "Write a test for an operation", operation="Its id, such as CreateContract."),
    _prompt(
        "why_did_this_fail",
        "Why did this call fail?",
        project="The name or id of a project.",
        n="Its number in the journal; the latest that failed unless given.",
    ),
]


def make(context: Context, name: str, arguments: dict[str, str]) -> GetPromptResult:
    """The messages of a prompt. ToolError for an unknown one."""
    if name == "write_a_test":
        operation = arguments.get("operation", "")
        if not operation:
            raise ToolError("operation is missing", "name one, which list_operations finds by words")
        page = TOOLS["read_docs"].run(context, {"words": operation})
        text = files(__package__).joinpath("write_a_test.md").read_text(encoding="utf-8")
        text = text.format(operation=operation, description=fit(page))
    elif name == "why_did_this_fail":
        # The protocol has texts only, and clients send what was left empty.
        given: dict[str, object] = {name: value for name, value in arguments.items() if value}
        if (n := arguments.get("n", "")).isdecimal():
            given["n"] = int(n)
        found = fit(TOOLS["explain_call"].run(context, given))
        text = f"Explain in a few sentences why this call failed, and mend what caused it.\n\n{found}"
    else:
        raise ToolError(
            f"there is no prompt {quote(name)}", "use " + " or ".join(each.name for each in PROMPTS)
        )
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])
