"""The OpenAPI documents, and the page that shows them."""

from typing import Any, Literal

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.errors import ApiError
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlQuery
from mockserver.server.control.groups import ControlGroup

documentation = ControlGroup("Documentation", below="/_mock")


class DocumentQuery(ControlQuery):
    """Which API is described."""

    api: Literal["public", "control"] = "public"


class ReferenceQuery(DocumentQuery):
    """What the page shows."""

    project: str | None = None
    """The id of the project whose keys are filled in; the first one's unless given."""


@documentation.operation("GET", "/openapi.json", "GetOpenApi", is_open=True)
def get_openapi(call: ControlCall[None, DocumentQuery, None]) -> dict[str, Any]:
    """Retrieve the OpenAPI 3.1 document of the API; with `?api=control`, that of the control API."""
    # Imported on first use: most runs never ask for a document.
    from mockserver.server.openapi import document

    described = document(call.routes.endpoints, call.query.api == "control")
    server = {**described["servers"][0], "url": call.request.root_path or "/"}
    return {**described, "servers": [server]}


@documentation.operation("GET", "/scenario.schema.json", "GetScenarioSchema", is_open=True)
def get_scenario_schema(call: ControlCall[None, None, None]) -> dict[str, Any]:
    """Retrieve the JSON Schema of scenario files, for editors."""
    # Imported on first use, as above.
    from mockserver.scenario.checking.json_schema import scenario_schema

    return scenario_schema(call.routes)


@documentation.operation("GET", "/docs", "ShowDocs", writes=("text/html",), is_open=True)
def show_docs(call: ControlCall[None, ReferenceQuery, None]) -> Reply:
    """Show the OpenAPI document as a page, on which calls can be tried."""
    from mockserver.server.page.viewer import viewer_page

    page = viewer_page()
    return Reply(page.content, headers=page.headers)


@documentation.operation(
    "GET",
    "/docs/{file}",
    "GetDocsFile",
    errors.CONTROL_UNKNOWN_FILE,
    writes=("text/css", "text/javascript", "text/plain"),
    is_open=True,
)
def get_docs_file(call: ControlCall[None, None, None]) -> Reply:
    """Retrieve a file that the page loads."""
    from mockserver.server.page.viewer import viewer_file

    name = call.path["file"]
    found = viewer_file(name, call.request.headers.get("accept-encoding", ""))
    if found is None:
        raise ApiError(errors.CONTROL_UNKNOWN_FILE, name=name[:80])
    return Reply(found.content, headers=found.headers)
