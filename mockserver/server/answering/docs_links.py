"""Where the server itself shows an operation: on the page of its OpenAPI document, and as Markdown."""

from functools import cache
from urllib.parse import quote, urlencode

from mockserver import errors
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family


def docs_link(endpoint: Endpoint | None, family: Family, root_path: str, code: str | None = None) -> str:
    """The path, query and fragment of an operation on the page, or of the page where there is no operation.

    A browser goes to the fragment. The query is for those who ask for Markdown, as no fragment is sent: it
    names the operation, and the error whose code was answered, if it is one of the catalogue.
    """
    query = {} if family.public else {"api": "control"}
    if endpoint is not None:
        query["operation"] = endpoint.operation
    if code is not None and (anchor := code.lower().replace("-", "_")) in _anchors():
        query["error"] = anchor
    page = f"{root_path}/_mock/docs{'?' if query else ''}{urlencode(query)}"
    return page if endpoint is None else f"{page}#/{quote(endpoint.tag)}/{endpoint.operation}"


@cache
def _anchors() -> frozenset[str]:
    return frozenset(row.code.lower() for row in errors.catalogue())
