"""Health, readiness and metrics of the server, and the key for imports."""

from typing import Literal

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.crypto.sealing import import_public_der, import_public_pem
from mockserver.errors import ApiError
from mockserver.kernel.retention import PROJECT_BYTES, PROJECT_EVENTS
from mockserver.kernel.secrecy import PublicKey
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.metrics import CONTENT_TYPE, metrics_text

health = ControlGroup("Server", below="/_mock")


class LogHealth(TypedDict):
    """The lines of the log."""

    dropped: int
    """Lines that could not be written, or not as fast as they came."""


class JournalBounds(TypedDict):
    """What the journals hold at most; beyond, the oldest events are dropped."""

    events: int
    """Events of a project: calls, and whatever else changed it."""
    bytes: int
    """Bytes of a project."""
    server_bytes: int
    """Bytes of all projects, which the option `--journal-bytes` sets."""


class HealthAnswer(TypedDict):
    """The server is alive."""

    status: Literal["ok"]
    """Always `ok`."""
    log: LogHealth
    """What became of the log."""
    journal: JournalBounds
    """The bounds of the journals."""


class ReadyAnswer(TypedDict):
    """Start-up is complete."""

    status: Literal["ready"]
    """Always `ready`."""


class ImportKeyAnswer(TypedDict):
    """An RSA-4096 public key: its SPKI as base64 of DER, and as PEM."""

    public_key: PublicKey
    pem: str


@health.operation("GET /health", "GetHealth", is_open=True)
def get_health(call: ControlCall[None, None, None]) -> HealthAnswer:
    """Check that the server is alive."""
    return {
        "status": "ok",
        "log": {"dropped": call.server.count_dropped()},
        "journal": {
            "events": PROJECT_EVENTS,
            "bytes": PROJECT_BYTES,
            "server_bytes": call.world.histories.max_bytes,
        },
    }


@health.operation("GET /ready", "GetReady", errors.CONTROL_NOT_READY, is_open=True)
def get_ready(call: ControlCall[None, None, None]) -> ReadyAnswer:
    """Check that start-up is complete and its scenarios are loaded; 503 with the reasons until then."""
    if call.server.is_ending:
        raise ApiError(errors.CONTROL_NOT_READY, reason="It ends, and hands its projects over.")
    return {"status": "ready"}


@health.operation("GET /metrics", "GetMetrics", writes=("text/plain",))
def get_metrics(call: ControlCall[None, None, None]) -> Reply:
    """Retrieve what the server holds and did, in the text format of Prometheus."""
    text = metrics_text(call.world, call.server.answers, call.server.count_dropped())
    return Reply(text.encode(), headers=(("content-type", CONTENT_TYPE),))


@health.operation("GET /import-key", "GetImportKey")
def get_import_key(call: ControlCall[None, None, None]) -> ImportKeyAnswer:
    """Retrieve the public key that seals imported keys. Its private key is published, too."""
    return {"public_key": import_public_der(), "pem": import_public_pem()}
