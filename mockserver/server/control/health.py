"""Health and readiness of the server, its OpenAPI documents, and the key for imports."""

from typing import Any, Literal

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.crypto.sealing import import_public_der, import_public_pem
from mockserver.server.control.bodies import ControlQuery
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control_call import ControlCall
from mockserver.server.openapi import document

health = ControlGroup("Server", below="/_mock")


class OpenApiQuery(ControlQuery):
    """Which API the document describes."""

    api: Literal["public", "control"] = "public"


class HealthAnswer(TypedDict):
    """The server is alive."""

    status: Literal["ok"]


class ReadyAnswer(TypedDict):
    """Start-up is complete."""

    status: Literal["ready"]


class ImportKeyAnswer(TypedDict):
    """An RSA-4096 public key: its SPKI as base64 of DER, and as PEM."""

    public_key: str
    pem: str


@health.operation("GET", "/health", "GetHealth", is_open=True)
def get_health(call: ControlCall[None, None, None]) -> HealthAnswer:
    """Check that the server is alive."""
    return {"status": "ok"}


@health.operation("GET", "/ready", "GetReady", errors.CONTROL_NOT_READY, is_open=True)
def get_ready(call: ControlCall[None, None, None]) -> ReadyAnswer:
    """Check that start-up is complete and its scenarios are loaded; 503 with the reasons until then."""
    return {"status": "ready"}


@health.operation("GET", "/openapi.json", "GetOpenApi")
def get_openapi(call: ControlCall[None, OpenApiQuery, None]) -> dict[str, Any]:
    """Retrieve the OpenAPI 3.1 document of the API; with `?api=control`, that of the control API."""
    described = document(tuple(call.routes.by_operation.values()), call.query.api == "control")
    root_path = call.request.root_path
    return {**described, "servers": [{"url": root_path}]} if root_path else described


@health.operation("GET", "/import-key", "GetImportKey")
def get_import_key(call: ControlCall[None, None, None]) -> ImportKeyAnswer:
    """Retrieve the public key that seals imported keys. Its private key is published, too."""
    return {"public_key": import_public_der(), "pem": import_public_pem()}
