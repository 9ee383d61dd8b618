"""`--otel`: what processes send to a receiver of OTLP, and what is refused at the start."""

import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from mockserver import create_app
from mockserver.server.edge.start_up import CannotStart
from tests.cli.conftest import Run, Serve

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra `otel` is not installed")

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


class Receiver(ThreadingHTTPServer):
    """Takes OTLP on loopback, and keeps what comes."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.traces: list[ExportTraceServiceRequest] = []
        self.metrics: list[ExportMetricsServiceRequest] = []


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/v1/traces":
            self.server.traces.append(ExportTraceServiceRequest.FromString(body))
        else:
            self.server.metrics.append(ExportMetricsServiceRequest.FromString(body))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    with Receiver() as receiver:
        thread = Thread(target=receiver.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{receiver.server_port}")
        yield receiver
        receiver.shutdown()
        thread.join()


def members(attributes: Any) -> dict[str, str]:
    return {each.key: each.value.string_value for each in attributes}


def test_the_servers_of_a_fleet_export_as_instances(
    serve: Serve, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "wallets")
    fleet = [serve("--otel", "--log", "none") for _ in range(2)]
    for served in fleet:
        with served.client() as client:
            client.get("/v1/contracts")
        # What was not yet exported is exported when it ends.
        assert served.end()[0] == 0
    exported = [sent for request in receiver.traces for sent in request.resource_spans]
    spans = [span for sent in exported for scope in sent.scope_spans for span in scope.spans]
    assert [span.name for span in spans] == ["GET /v1/contracts"] * 2
    assert {members(span.attributes)["mockserver.operation"] for span in spans} == {"GetContracts"}
    resources = [members(sent.resource.attributes) for sent in exported]
    assert {resource["service.name"] for resource in resources} == {"wallets"}
    instances = {resource["service.instance.id"].rpartition(":")[2] for resource in resources}
    assert instances == {str(served.process.pid) for served in fleet}
    measured = [sent for request in receiver.metrics for sent in request.resource_metrics]
    names = {metric.name for sent in measured for scope in sent.scope_metrics for metric in scope.metrics}
    assert names == {"http.server.request.duration"}


def test_what_cannot_be_exported_to_is_said_at_the_start(
    run_here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "nowhere")
    ended = run_here("serve", "--port", "0", "--otel")
    assert ended.returncode == 1
    assert ended.stderr.rstrip().endswith(
        "--otel: OTEL_METRICS_EXPORTER is 'nowhere', and there is no exporter 'nowhere' installed"
    )


def test_without_the_extra_a_start_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "mockserver.server.telemetry", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    monkeypatch.setenv("MOCKSERVER_OTEL", "true")
    with pytest.raises(CannotStart, match=r"--otel needs opentelemetry\S*: pip install 'mockserver\[otel\]'"):
        create_app()
