"""The OpenAPI documents, and the page that shows them."""

import re
from typing import Any, Literal

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.responses.pages import SAFE
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlQuery
from mockserver.server.control.groups import ControlGroup

documentation = ControlGroup("Documentation", below="/_mock")

_MARKDOWN = (("content-type", "text/markdown; charset=utf-8"), *SAFE)
_VARY = ("vary", "accept")


class DocumentQuery(ControlQuery):
    """Which API is described."""

    api: Literal["public", "control"] = "public"


class ReferenceQuery(DocumentQuery):
    """What the page shows, and what Markdown is about."""

    project: str | None = None
    """The id of the project whose keys are filled in; the first one's unless given."""
    operation: str | None = None
    """The operation that is described as Markdown."""
    error: str | None = None
    """The code of an error, in lower case, that is explained as Markdown."""


class SectionQuery(ControlQuery):
    """Which part of a page."""

    section: str | None = None
    """The anchor of a heading of a page in Markdown: only its section."""


@documentation.operation("GET /openapi.json", "GetOpenApi", is_open=True)
def get_openapi(call: ControlCall[None, DocumentQuery, None]) -> dict[str, Any]:
    """Retrieve the OpenAPI 3.1 document of the API; with `?api=control`, that of the control API."""
    # Imported on first use: most runs never ask for a document.
    from mockserver.server.openapi import document

    described = document(call.routes.endpoints, call.query.api == "control")
    server = {**described["servers"][0], "url": call.request.root_path or "/"}
    return {**described, "servers": [server]}


@documentation.operation("GET /scenario.schema.json", "GetScenarioSchema", is_open=True)
def get_scenario_schema(call: ControlCall[None, None, None]) -> dict[str, Any]:
    """Retrieve the JSON Schema of scenario files, for editors."""
    # Imported on first use, as above.
    from mockserver.scenario.checking.json_schema import scenario_schema

    return scenario_schema(call.routes)


@documentation.operation(
    "GET /docs", "ShowDocs", errors.CONTROL_UNKNOWN_PAGE, writes=("text/html", "text/markdown"), is_open=True
)
def show_docs(call: ControlCall[None, ReferenceQuery, None]) -> Reply:
    """Show the OpenAPI document as a page, on which calls can be tried.

    `Accept: text/markdown` gets the documentation instead: what it says of the error and of the operation, or
    its first page where neither is named.
    """
    # Browsers do not ask for it.
    if "text/markdown" in call.request.headers.get("accept", ""):
        return _explain(call)
    from mockserver.server.page.viewer import viewer_page

    page = viewer_page()
    return page._replace(headers=(*page.headers, _VARY))


def _explain(call: ControlCall[None, ReferenceQuery, None]) -> Reply:
    # Imported on first use, as above.
    from mockserver.manual.pages import anchor_of

    error, operation = call.query.error, call.query.operation
    names = [] if error is None else [f"errors#{error}"]
    if operation is not None:
        endpoint = call.routes.by_operation.get(operation)
        if endpoint is not None and not endpoint.family.public:
            operation = f"control#{anchor_of(f'{endpoint.method} {endpoint.path}')}"
        names.append(operation)
    text = "\n".join(map(_read, names or ["index"]))
    # A link is relative to where it is read.
    return Reply(re.sub(r"\]\((?=[\w-]+\.md)", "](docs/", text).encode(), headers=(*_MARKDOWN, _VARY))


def _read(name: str) -> str:
    """A page or a section as Markdown; ApiError with 404."""
    # Imported on first use, as above.
    from mockserver.manual import read_page

    try:
        return read_page(name)
    except LookupError as error:
        raise ApiError(errors.CONTROL_UNKNOWN_PAGE, reason=error) from None


@documentation.operation(
    "GET /docs/{file}",
    "GetDocsFile",
    errors.CONTROL_UNKNOWN_FILE,
    errors.CONTROL_UNKNOWN_PAGE,
    writes=("text/css", "text/javascript", "text/plain", "text/markdown"),
    is_open=True,
)
def get_docs_file(call: ControlCall[None, SectionQuery, None]) -> Reply:
    """Retrieve a file that the page loads, or a page of the documentation by its name: `faults.md`."""
    from mockserver.server.page.viewer import viewer_file

    name = call.path["file"]
    if name.endswith(".md"):
        section = call.query.section
        return Reply(_read(name if section is None else f"{name}#{section}").encode(), headers=_MARKDOWN)
    found = viewer_file(name, call.request.headers.get("accept-encoding", ""))
    if found is None:
        raise ApiError(errors.CONTROL_UNKNOWN_FILE, name=shorten(name))
    return found
