"""Prompts: what people choose, to have an agent begin with the right tools."""

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, TextContent

from mockserver.agents.bounds import fit
from mockserver.agents.context import Context, Refusal
from mockserver.agents.tasks import ExplainCall, Named, describe_operation, explain_call


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

_WRITE = """Write a test that calls {operation} and shows that the code under test survives its failure.

1. Call create_project, and give its environment variables to the code under test.
2. Call start_recording, then call_operation with the example below, changed as needed.
3. Call set_fault, or load_scenario with rules of your own, and call the operation again.
4. If an answer is not as expected, call explain_call. verify_calls says whether the calls arrived.
5. Call stop_recording, then export_recording: to pytest, or to vitest. Its text is a test that passes:
   save it as a file, run it, and then replace the requests by calls of the code under test.

In pytest the fixture `mock_project` is a project of its own for each test, and `mock_api` a client of it.

The operation:
{description}"""


def make(context: Context, name: str, arguments: dict[str, str]) -> GetPromptResult:
    """The messages of a prompt. Refusal for an unknown one."""
    if name == "write_a_test":
        operation = arguments.get("operation", "")
        shown = fit(describe_operation(context, Named(operation=operation)))
        text = _WRITE.format(operation=operation, description=shown)
    elif name == "why_did_this_fail":
        n = arguments.get("n", "")
        asked = ExplainCall(project=arguments.get("project"), n=int(n) if n.isdecimal() else None)
        found = fit(explain_call(context, asked))
        text = f"Explain in a few sentences why this call failed, and mend what caused it.\n\n{found}"
    else:
        raise Refusal(
            f"there is no prompt {name[:80]!r}", "use " + " or ".join(each.name for each in PROMPTS)
        )
    return GetPromptResult(messages=[PromptMessage(role="user", content=TextContent(text=text))])
