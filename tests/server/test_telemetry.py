"""Spans and metrics of OpenTelemetry, as the SDK's own exporters in memory see them."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from httpx import Client, RemoteProtocolError

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import server, shop
from tests.tables import cases

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra `otel` is not installed")

from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from mockserver.server.telemetry import MOST_CHARACTERS, Telemetry, export_telemetry

__all__ = ["server", "shop"]

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PLAYER = {"name": "Ada"}


class Exported:
    """What a server has exported so far."""

    def __init__(self, server: LiveServer) -> None:
        self._spans, self._metrics = InMemorySpanExporter(), InMemoryMetricReader()
        told = Telemetry(server.app.pipeline.server, [SimpleSpanProcessor(self._spans)], [self._metrics])
        server.app.listeners.append(told.tell)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._spans.get_finished_spans()

    @property
    def latest(self) -> Mapping[str, Any]:
        """The attributes of the latest span."""
        return self.spans[-1].attributes or {}

    @property
    def durations(self) -> list[HistogramDataPoint]:
        data = self._metrics.get_metrics_data()
        assert data is not None
        [metric] = data.resource_metrics[0].scope_metrics[0].metrics
        assert (metric.name, metric.unit) == ("http.server.request.duration", "s")
        return [point for point in metric.data.data_points if isinstance(point, HistogramDataPoint)]


@pytest.fixture
def exported(server: LiveServer) -> Exported:
    return Exported(server)


@pytest.fixture
def client(exported: Exported, shop: MockProject) -> Iterator[Client]:
    """A client with the secret key, on a socket."""
    headers = {"authorization": f"Bearer {shop.secret_key}"}
    with Client(base_url=shop.url, headers=headers, trust_env=False) as client:
        yield client


def test_a_span_says_what_the_journal_says(exported: Exported, client: Client, shop: MockProject) -> None:
    user = client.post("/v1/players", json=PLAYER, headers={"x-request-id": "req-7"}).json()["id"]
    [span] = exported.spans
    assert (span.name, span.kind) == ("POST /v1/players", SpanKind.SERVER)
    assert span.status.status_code is StatusCode.UNSET
    [exchange] = shop.journal.list()
    found = dict(exported.latest)
    effects = found.pop("mockserver.effects")
    assert f"created wallets.wallets {user}" in effects
    assert found.pop("user_agent.original").startswith("python-httpx/")
    assert found == {
        "http.request.method": "POST",
        "http.response.status_code": exchange["status"],
        "http.route": "/v1/players",
        "url.scheme": "http",
        "url.path": "/v1/players",
        "client.address": "127.0.0.1",
        "mockserver.operation": "CreatePlayer",
        "mockserver.project": shop.id,
        "mockserver.event": exchange["n"],
        "mockserver.time": exchange["at"],
        "mockserver.took_ms": 0,
        "mockserver.request_id": "req-7",
    }


def test_a_span_has_real_times(exported: Exported, client: Client) -> None:
    client.get("/v1/contracts")
    [span] = exported.spans
    assert span.start_time
    assert span.end_time
    assert 0 < span.end_time - span.start_time < 10**10
    assert exported.latest["mockserver.time"] == "2026-01-01T00:00:00.000Z"


def test_the_trace_of_the_caller_goes_on(exported: Exported, client: Client) -> None:
    client.get("/v1/contracts", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    [span] = exported.spans
    assert span.context
    assert span.parent
    assert (f"{span.context.trace_id:032x}", f"{span.parent.span_id:016x}") == (TRACE, PARENT)


def test_a_trace_that_is_not_sampled_is_only_measured(exported: Exported, client: Client) -> None:
    client.get("/v1/contracts", headers={"traceparent": f"00-{TRACE}-{PARENT}-00"})
    assert exported.spans == ()
    assert [point.count for point in exported.durations] == [1]


def test_fates_and_timers_that_fired_are_told(exported: Exported, client: Client, shop: MockProject) -> None:
    shop.fate(outcome="reverted")
    client.auth = shop.wallet_auth
    account = client.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()["id"]
    call = {"to": "0x" + "11" * 20, "value": "0"}
    body = {"chainId": 80002, "accountId": account, "calls": [call]}
    row = client.post("/v2/transactions", json=body).json()
    assert exported.latest["mockserver.fates"] == ("reverted",)
    effects = exported.latest["mockserver.effects"]
    assert f"created onchain.transactions {row['id']}" in effects
    assert [each for each in effects if each.startswith("fired ") and each.endswith(row["id"])]


def test_hints_are_told(exported: Exported, client: Client) -> None:
    rules = [{"action": "reject", "operation": "signEvmHash"}]
    answer = client.post("/v2/policies", json={"scope": "account", "rules": rules})
    assert exported.latest["mockserver.hints"] == (answer.headers["x-mockserver-hint"],)


def test_a_rule_and_its_fault_are_told(exported: Exported, client: Client, shop: MockProject) -> None:
    shop.load("rules: [{name: broken, when: GetContracts, then: {fault: empty_response}}]")
    with pytest.raises(RemoteProtocolError):
        client.get("/v1/contracts")
    found = exported.latest
    assert (found["mockserver.rule"], found["mockserver.fault"]) == ("broken", "empty_response")
    assert found["error.type"] == "empty_response"
    assert "http.response.status_code" not in found
    assert exported.spans[-1].status.status_code is StatusCode.ERROR


def test_an_error_of_the_server_is_one_of_the_span(
    exported: Exported, client: Client, shop: MockProject
) -> None:
    shop.load("rules: [{name: down, when: GetContracts, then: {answer: {status: 503}}}]")
    client.get("/v1/contracts")
    assert (exported.latest["http.response.status_code"], exported.latest["error.type"]) == (503, "503")
    assert exported.spans[-1].status.status_code is StatusCode.ERROR


def test_a_call_that_waits_has_one_span(exported: Exported, client: Client, shop: MockProject) -> None:
    shop.load("rules: [{name: slow, when: CreatePlayer, then: [{delay: {real: 30ms}}, {effect: done}]}]")
    user = client.post("/v1/players", json=PLAYER).json()["id"]
    [span] = exported.spans
    assert span.start_time
    assert span.end_time
    assert span.end_time - span.start_time >= 30_000_000
    assert f"created wallets.wallets {user}" in exported.latest["mockserver.effects"]


def test_secrets_are_masked_as_in_the_journal(exported: Exported, client: Client, shop: MockProject) -> None:
    jwt = f"eyJ{'a' * 20}.{'b' * 20}.{'c' * 20}"
    client.get(
        f"/v1/nowhere/{jwt}?token=hunter2&limit=3",
        headers={"user-agent": f"app {jwt}", "x-request-id": f"sk_live_{'d' * 20}"},
    )
    [exchange] = shop.journal.list()
    found = exported.latest
    assert (found["url.path"], found["url.query"]) == (exchange["path"], exchange["query"])
    assert found["mockserver.request_id"] == exchange["request_id"]
    said = exported.spans[-1].to_json()
    assert jwt not in said
    assert "hunter2" not in said
    assert "d" * 20 not in said


def test_the_control_api_has_no_spans(exported: Exported, client: Client) -> None:
    client.get("/_mock/projects/-/journal")
    assert exported.spans == ()


@cases("key, project", ("Bearer nonsense", False), ("Bearer sk_test_shop", True))
def test_a_refused_call_has_a_span(
    exported: Exported, client: Client, shop: MockProject, key: str, project: bool
) -> None:
    client.get("/v1/contracts/nothing", headers={"authorization": key})
    assert exported.latest["mockserver.operation"] == "GetContract"
    assert exported.latest["http.response.status_code"] == (404 if project else 401)
    assert ("mockserver.project" in exported.latest) is project


def test_a_long_text_is_cut(exported: Exported, client: Client) -> None:
    client.get(f"/v1/contracts/{'c' * 3000}?name={'n' * 3000}", headers={"user-agent": "u" * 3000})
    texts = [value for value in exported.latest.values() if isinstance(value, str)]
    assert [len(text) for text in texts if len(text) > 100] == [MOST_CHARACTERS] * 3


def test_an_odd_method_is_named_other(exported: Exported, client: Client) -> None:
    client.request("PROPFIND", "/v1/contracts")
    assert exported.latest["http.request.method"] == "_OTHER"
    assert exported.spans[-1].name == "HTTP /v1/contracts"


def test_durations_are_by_operation_and_status(exported: Exported, client: Client) -> None:
    for path in ("/v1/contracts", "/v1/contracts", "/v1/contracts/nothing"):
        client.get(path)
    counts = {
        (point.attributes["mockserver.operation"], point.attributes["http.response.status_code"]): point.count
        for point in exported.durations
        if point.attributes
    }
    assert counts == {("GetContracts", 200): 2, ("GetContract", 404): 1}
    assert all(0 < point.sum < 10 for point in exported.durations)


# --- variables ------------------------------------------------------------------------------------------


def test_a_disabled_sdk_costs_nothing(server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    export_telemetry(server.app)
    assert server.app.listeners == []


@cases(
    "variable, value, said",
    ("OTEL_TRACES_EXPORTER", "zipkn", "OTEL_TRACES_EXPORTER is 'zipkn', and there is no exporter 'zipkn'"),
    ("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier", "there is no exporter 'carrier' installed"),
)
def test_an_exporter_that_is_missing_is_named(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=said):
        export_telemetry(server.app)
