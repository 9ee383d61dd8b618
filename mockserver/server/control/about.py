"""The server itself: whether it lives, whether it is ready, and what it offers."""

from typing import Any, Literal, TypedDict

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.crypto.sealing import import_public_der, import_public_pem
from mockserver.errors import ApiError
from mockserver.server.control.members import ControlQuery
from mockserver.server.control_call import ControlCall
from mockserver.server.openapi import document

about = Group("Server")


class ChooseDocument(ControlQuery):
    """Which API the document describes."""

    api: Literal["public", "control"] = "public"


class Health(TypedDict):
    """That the server lives."""

    status: Literal["ok"]


class Ready(TypedDict):
    """That start-up is over."""

    status: Literal["ready"]


class ImportKey(TypedDict):
    """An RSA-4096 public key: its SPKI as base64 of DER, and as PEM."""

    public_key: str
    pem: str


@about.endpoint("GET", "/_mock/health", "GetHealth", ANYBODY)
def get_health(call: ControlCall[None, None, None]) -> Health:
    """Whether the server lives."""
    return {"status": "ok"}


@about.endpoint("GET", "/_mock/ready", "GetReady", ANYBODY, errors=(errors.CONTROL_NOT_READY,))
def get_ready(call: ControlCall[None, None, None]) -> Ready:
    """Whether start-up is over and the scenarios it was given are in; 503 with the reasons before."""
    if call.world.not_ready:
        raise ApiError(errors.CONTROL_NOT_READY, reason=" ".join(call.world.not_ready))
    return {"status": "ready"}


@about.endpoint("GET", "/_mock/openapi.json", "GetOpenApi", ANYBODY)
def get_openapi(call: ControlCall[None, ChooseDocument, None]) -> dict[str, Any]:
    """The API as an OpenAPI 3.1 document; the control API's own with `?api=control`."""
    return document(tuple(call.routes.by_operation.values()), call.query.api == "control")


@about.endpoint("GET", "/_mock/import-key", "GetImportKey", ANYBODY)
def get_import_key(call: ControlCall[None, None, None]) -> ImportKey:
    """The public key under which imported keys are sealed. Its private half is published too."""
    return {"public_key": import_public_der(), "pem": import_public_pem()}
