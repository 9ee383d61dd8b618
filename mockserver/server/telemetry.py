"""OpenTelemetry: a span and a measurement for each call of the API, made of what the journal has of it."""

import os
import socket
from collections.abc import Iterator, Sequence
from http import HTTPMethod
from importlib.metadata import entry_points
from typing import Any

from opentelemetry.context import Context
from opentelemetry.propagate import extract
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import NoOpTracer, SpanKind, StatusCode

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import family_of
from mockserver.kernel import timestamps
from mockserver.kernel.mappings import without_none
from mockserver.server.answering.masking import Walker, endpoint_at, plan_of_shape
from mockserver.server.answering.render import Response
from mockserver.server.answering.server import Server
from mockserver.server.control.history.effects import shown_tables
from mockserver.server.edge.app import App
from mockserver.server.edge.ticker import Ticker
from mockserver.state.history.changes import merge_changes
from mockserver.state.history.event import LOSE_ANSWER, Event
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.version import __version__

MOST_EFFECTS = 100
"""How many effects of a call a span has."""
MOST_CHARACTERS = 1024
"""How long a text of a request is at most in a span: receivers refuse or cut what is longer."""
_LOW_BOUNDS_S = (0.0001, 0.00025, 0.0005, 0.001, 0.0025)
"""Most calls take less than the lowest bound of the semantic conventions."""
BOUNDS_S = (*_LOW_BOUNDS_S, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
_METHODS = frozenset({*HTTPMethod, "QUERY"})
_PROTOCOLS = {"http/protobuf": "otlp_proto_http", "grpc": "otlp_proto_grpc"}


class Telemetry:
    """Makes spans and measurements, by providers of its own: the global ones are the application's."""

    def __init__(
        self, server: Server, processors: Sequence[SpanProcessor], readers: Sequence[MetricReader]
    ) -> None:
        instance = f"{socket.gethostname()}:{os.getpid()}"
        ours = {SERVICE_NAME: "mockserver", "service.version": __version__, "service.instance.id": instance}
        resource = Resource.create({**ours, **OTELResourceDetector().detect().attributes})
        tracers = TracerProvider(resource=resource)
        for processor in processors:
            tracers.add_span_processor(processor)
        self._tracer = tracers.get_tracer("mockserver", __version__) if processors else NoOpTracer()
        meter = MeterProvider(readers, resource).get_meter("mockserver", __version__)
        self._durations = meter.create_histogram(
            "http.server.request.duration", unit="s", explicit_bucket_boundaries_advisory=BOUNDS_S
        )
        self._routes = server.routes
        self._walker = Walker(server.names)
        self._real_ns = Ticker().real_ns

    def tell(self, request: Request, response: Response, took_ns: int) -> None:
        """Export that a call was answered, and how many real nanoseconds that took."""
        if not family_of(request.path).is_journaled:
            return
        ended_ns = self._real_ns()
        endpoint, route = endpoint_at(self._routes, request.method, request.path)
        attributes = _describe_call(request, response, endpoint, route)
        self._durations.record(took_ns / 1e9, attributes)
        span = self._tracer.start_span(
            f"{request.method if request.method in _METHODS else 'HTTP'} {route or ''}".rstrip(),
            extract(request.headers, Context()),
            SpanKind.SERVER,
            attributes,
            start_time=ended_ns - took_ns,
        )
        if span.is_recording():
            project, event = response.project, response.event
            details = {
                "mockserver.rule": response.rule,
                "mockserver.fault": None if response.fault is None else response.fault.kind,
                **self._describe_request(request, endpoint, route),
                "mockserver.project": None if project is None else project.id,
                **({} if project is None or event is None else _describe_event(project, event)),
            }
            span.set_attributes({name: each for name, each in details.items() if each not in (None, "", [])})
            if "error.type" in attributes:
                span.set_status(StatusCode.ERROR)
        span.end(ended_ns)

    def _describe_request(
        self, request: Request, endpoint: Endpoint | None, route: str | None
    ) -> dict[str, Any]:
        """What was asked, with secrets masked as in the journal."""
        walker, headers = self._walker, request.headers
        plan = plan_of_shape(None if endpoint is None else endpoint.query)
        return {
            "url.path": walker.path(request.path, route)[:MOST_CHARACTERS],
            "url.query": walker.pairs(request.query, plan)[:MOST_CHARACTERS],
            "client.address": request.client,
            "user_agent.original": walker.text(headers.get("user-agent", ""))[:MOST_CHARACTERS],
            "mockserver.request_id": walker.text(headers.get("x-request-id", "")),
        }


def _describe_call(
    request: Request, response: Response, endpoint: Endpoint | None, route: str | None
) -> dict[str, str | int]:
    """What a span and a measurement have in common."""
    known = response.event or endpoint
    status = response.status if response.event is None else response.event.status
    error = str(status) if status and status >= 500 else None
    if response.fault is not None and response.fault.kind in LOSE_ANSWER:
        error = response.fault.kind
    return without_none(
        {
            "http.request.method": request.method if request.method in _METHODS else "_OTHER",
            "http.response.status_code": status or None,
            "http.route": route,
            "url.scheme": request.scheme,
            "error.type": error,
            "mockserver.operation": None if known is None else known.operation,
        }
    )


def _describe_event(project: Project, event: Event) -> dict[str, Any]:
    """What else the journal has of a call."""
    # An event of before a reset is not in the history.
    parts = project.history.parts_of(event) if project.history.get(event.number) is event else [event]
    changed = merge_changes([project.changes_of(part) for part in parts]).rows
    shown = shown_tables(project) if changed else {}
    rows = [change for change in changed if change.table in shown]
    fates = [row.after.fate for row in rows if row.before is None and isinstance(row.after, Transaction)]
    effects = [f"{change.kind} {change.table} {change.id}" for change in rows]
    effects += [f"fired {each.event} of {each.kind} {each.id}" for part in parts for each in part.fired]
    return {
        "mockserver.event": event.number,
        "mockserver.time": timestamps.format_iso(event.at_ms),
        "mockserver.took_ms": event.took_ms,
        "mockserver.hints": [leniency.hint for leniency in event.hints],
        "mockserver.fates": [fate.outcome for fate in fates if fate is not None],
        "mockserver.effects": effects[:MOST_EFFECTS],
    }


def export_telemetry(app: App) -> None:
    """Export to what the variables of OpenTelemetry name. A ValueError names an exporter that is missing."""
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return
    processors = [BatchSpanProcessor(make()) for make in _exporters("traces")]
    readers = [PeriodicExportingMetricReader(make()) for make in _exporters("metrics")]
    app.listeners.append(Telemetry(app.pipeline.server, processors, readers).tell)


def _exporters(signal: str) -> Iterator[Any]:
    """The classes of the exporters that OTEL_TRACES_EXPORTER or OTEL_METRICS_EXPORTER names: OTLP if none."""
    variable, protocol = f"OTEL_{signal.upper()}_EXPORTER", f"OTEL_EXPORTER_OTLP_{signal.upper()}_PROTOCOL"
    form = os.environ.get(protocol) or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL") or "http/protobuf"
    names = [name.strip() for name in (os.environ.get(variable) or "otlp").split(",")]
    for name in names:
        entry = _PROTOCOLS.get(form, form) if name == "otlp" else name
        found = entry_points(group=f"opentelemetry_{signal}_exporter", name=entry)
        if name != "none" and not found:
            raise ValueError(f"{variable} is {name!r}, and there is no exporter {entry!r} installed")
        yield from (each.load() for each in found)
