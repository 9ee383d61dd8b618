"""Where the server itself shows an operation: a place on the page of its OpenAPI document."""

from urllib.parse import quote

from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family


def docs_link(endpoint: Endpoint | None, family: Family, root_path: str) -> str:
    """The path and fragment of an operation on the page, or of the page where there is no operation."""
    page = f"{root_path}/_mock/docs" if family.public else f"{root_path}/_mock/docs?api=control"
    return page if endpoint is None else f"{page}#/{quote(endpoint.tag)}/{endpoint.operation}"
