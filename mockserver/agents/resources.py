"""Resources: what agents read, by URI."""

import json
from urllib.parse import unquote

from mcp_types import Resource, ResourceTemplate

from mockserver import errors
from mockserver.agents.bounds import fit
from mockserver.agents.context import Context, Refusal
from mockserver.agents.tasks import ListOperations, Named, describe_operation, list_operations
from mockserver.errors import ErrorRow
from mockserver.server.assembly import ROUTES

_SCHEME = "mockserver://"
_JSON = "application/json"

RESOURCES = [
    Resource(name=name, uri=_SCHEME + name, description=text, mime_type=_JSON)
    for name, text in (
        ("operations", "The ids of all operations of the imitated API, by tag."),
        ("errors", "The catalogue of errors: code, status and message of each."),
        ("scenario-schema", "The grammar of scenarios, as JSON Schema."),
    )
]
TEMPLATES = [
    ResourceTemplate(name=name, uri_template=_SCHEME + path, description=text, mime_type=_JSON)
    for name, path, text in (
        ("operation", "operations/{operation}", "What an operation takes, and its errors."),
        ("timeline", "projects/{project}/timeline", "What happened in a project, by its name or id."),
    )
]


def read(context: Context, uri: str) -> tuple[str, str]:
    """The media type and the text of a resource. Refusal for an unknown one."""
    match [unquote(part) for part in uri.removeprefix(_SCHEME).split("/")]:
        case ["operations"]:
            return _JSON, json.dumps(list_operations(context, ListOperations(words="")))
        case ["operations", operation]:
            return _JSON, json.dumps(describe_operation(context, Named(operation=operation)))
        case ["errors"]:
            rows = [row for row in vars(errors).values() if isinstance(row, ErrorRow)]
            return _JSON, json.dumps([[row.code, row.status, row.message] for row in rows])
        case ["scenario-schema"]:
            from mockserver.scenario.checking.json_schema import schema_text

            return _JSON, schema_text(ROUTES)
        case ["projects", project, "timeline"]:
            return _JSON, fit(context.project(project).timeline())
    raise Refusal(
        f"there is no resource {uri[:200]}", "read " + ", ".join(str(each.uri) for each in RESOURCES)
    )
