"""Resources: what agents read, by URI."""

import json
from contextlib import suppress
from urllib.parse import unquote

from mcp_types import Resource, ResourceTemplate

from mockserver.agents.bounds import fit
from mockserver.agents.context import Context, ToolError
from mockserver.kernel.spelling import shorten
from mockserver.manual import pages, read_page
from mockserver.scenario.checking.json_schema import scenario_schema
from mockserver.server.assembly import ROUTES

_DOCS = "mockserver://docs/"
_GRAMMAR = "mockserver://scenario-schema"
_TIMELINE = "mockserver://projects/"
_JSON, _MARKDOWN = "application/json", "text/markdown"

TEMPLATES = [
    ResourceTemplate(name=name, uri_template=template, description=text, mime_type=kind)
    for name, template, text, kind in (
        ("operation", _DOCS + "{operation}", "What an operation takes and answers.", _MARKDOWN),
        ("timeline", _TIMELINE + "{project}/timeline", "What happened in a project.", _JSON),
    )
]


def listed() -> list[Resource]:
    """The pages of the documentation, among them the operations and the errors, and the grammar."""
    grammar = Resource(
        name="scenario-schema", uri=_GRAMMAR, title="JSON Schema of scenarios", mime_type=_JSON
    )
    found = [
        Resource(name=page.name, uri=_DOCS + page.name, description=page.summary, mime_type=_MARKDOWN)
        for page in pages()
        if not page.is_operation
    ]
    return [grammar, *found]


def read(context: Context, uri: str) -> tuple[str, str]:
    """The media type and the text of a resource. ToolError for an unknown one."""
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
