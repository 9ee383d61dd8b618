"""What agents read by URI (resources), and what people choose to have them begin with (`prompts.yaml`)."""

import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

import mcp_types as types

from mockserver.agents.bounds import fit
from mockserver.agents.context import Context, ToolError
from mockserver.agents.tools import TOOLS
from mockserver.kernel.spelling import quote, shorten
from mockserver.manual import pages, read_page
from mockserver.scenario.checking.json_schema import scenario_schema
from mockserver.server.assembly import ROUTES
from mockserver.yaml_files import read_yaml_file

_DOCS = "mockserver://docs/"
_GRAMMAR = "mockserver://scenario-schema"
_TIMELINE = "mockserver://projects/"
_JSON, _MARKDOWN = "application/json", "text/markdown"

TEMPLATES = [
    types.ResourceTemplate(name=name, uri_template=template, description=text, mime_type=kind)
    for name, template, text, kind in (
        ("operation", _DOCS + "{operation}", "What an operation takes and answers.", _MARKDOWN),
        ("timeline", _TIMELINE + "{project}/timeline", "What happened in a project.", _JSON),
    )
]
_DECLARED = read_yaml_file(Path(__file__).with_name("prompts.yaml"))
PROMPTS = [
    types.Prompt(name=name, title=row["title"], arguments=row["arguments"]) for name, row in _DECLARED.items()
]


def listed() -> list[types.Resource]:
    """The pages of the documentation, among them the operations and the errors, and the grammar."""
    grammar = types.Resource(
        name="scenario-schema", uri=_GRAMMAR, title="JSON Schema of scenarios", mime_type=_JSON
    )
    found = [
        types.Resource(name=page.name, uri=_DOCS + page.name, description=page.summary, mime_type=_MARKDOWN)
        for page in pages()
        if not page.is_operation
    ]
    return [grammar, *found]


def read(context: Context, uri: str) -> types.ReadResourceResult:
    """A resource. ToolError for an unknown one."""
    kind, text = _find(context, uri)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=kind, text=text)])


def _find(context: Context, uri: str) -> tuple[str, str]:
    if uri == _GRAMMAR:
        return _JSON, json.dumps(scenario_schema(ROUTES))
    if uri.startswith(_DOCS):
        with suppress(LookupError):
            return _MARKDOWN, read_page(unquote(uri.removeprefix(_DOCS)))
    if uri.startswith(_TIMELINE) and uri.endswith("/timeline"):
        name = unquote(uri.removeprefix(_TIMELINE).removesuffix("/timeline"))
        return _JSON, fit(context.project(name).timeline())
    raise ToolError(
        f"there is no resource {shorten(uri)}", f"read {_GRAMMAR}, {_DOCS}operations or {_DOCS}errors"
    )


def prompt(context: Context, name: str, arguments: dict[str, str]) -> types.GetPromptResult:
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
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=types.TextContent(text=text))]
    )
