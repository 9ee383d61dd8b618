"""The log names what was asked for, and nothing that could be used to sign in."""

import io
import json
import logging
from types import SimpleNamespace

import pytest

from mockserver.api.call import Request
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App
from mockserver.server.edge.listening import LogHandler
from mockserver.server.edge.log import LogForm, ServerLog, mask_target
from mockserver.state.project import Project
from tests.tables import cases


@cases(
    "target, shown",
    ("/v1/contracts/con_1", "/v1/contracts/con_1"),
    ("/_mock/projects/-/sessions/hunter2/aal2", "/_mock/projects/-/sessions/…/aal2"),
    ("/iam/v2/auth/reset-password/hunter2?callbackURL=/", "/iam/v2/auth/reset-password/…?callbackURL=…"),
    ("/iam/v1/pk_test_hunter2/jwks.json", "/iam/v1/…/jwks.json"),
    ("/_mock/projects/sk_test_hunter2/clock", "/_mock/projects/…/clock"),
    ("/v1/contracts?limit=3&order=asc&skip=..", "/v1/contracts?limit=3&order=asc&skip=…"),
    ("/v1/contracts?hunter%20=1", "/v1/contracts?…=…"),
    ("/nowhere/hunter2/plain", "/nowhere/…/plain"),
)
def test_a_target_is_shown_without_what_may_be_secret_in_it(app: App, target: str, shown: str) -> None:
    path, _, query = target.partition("?")
    found = app.pipeline.server.routes.find(path)
    assert mask_target(Request("GET", path, query, {}), *found) == shown


def test_every_shown_path_parameter_is_known_to_be_harmless(app: App) -> None:
    harmless = {
        "accountUuid",
        "acc",
        "address",
        "chain",
        "chainId",
        "cluster",
        "d",
        "f",
        "file",
        "feeSponsorshipId",
    }
    harmless |= {"id", "n", "name", "p", "pol", "policyId", "provider", "reference"}
    harmless |= {"s", "table", "tin", "triggerId"}
    for endpoint in app.pipeline.server.routes.by_operation.values():
        request = Request(endpoint.method, endpoint.path, "", {})
        shown = mask_target(request, *app.pipeline.server.routes.find(endpoint.path))
        for name in {*endpoint.parameters} - harmless:
            assert f"{{{name}}}" not in shown


def log_of(app: App, stream: io.StringIO, form: LogForm = "text") -> ServerLog:
    return ServerLog(form, app.pipeline.server.routes, lambda: 0, lambda: stream)


def test_a_request_cannot_forge_a_log_line(app: App) -> None:
    stream = io.StringIO()
    log = log_of(app, stream)
    log.write_request(
        Request("GET", "/v1/contracts/a\n1970 200 GET /forged", "", {}), Response(404, (), b""), 0
    )
    log.close()
    assert stream.getvalue().count("\n") == 1


def test_warnings_of_libraries_are_lines_of_the_log(app: App) -> None:
    stream = io.StringIO()
    log = log_of(app, stream)
    handler = LogHandler(log)
    handler.handle(logging.LogRecord("uvicorn", logging.WARNING, "", 0, "%s is late", ("A request",), None))
    log.close()
    assert (handler.level, "A request is late" in stream.getvalue()) == (logging.WARNING, True)


@cases("rule", None, "outage")
def test_a_line_of_json_names_the_operation_and_the_rule(app: App, rule: str | None) -> None:
    stream = io.StringIO()
    log = log_of(app, stream, "json")
    log.write_request(Request("GET", "/v1/contracts", "", {}), Response(503, (), b"", rule=rule), 0)
    log.close()
    line = json.loads(stream.getvalue())
    assert (line["status"], line["operation"], line.get("rule")) == (503, "GetContracts", rule)


@cases("form", "text", "json", "none")
def test_what_goes_wrong_is_written_in_every_form(app: App, form: LogForm) -> None:
    stream = io.StringIO()
    log = log_of(app, stream, form)
    log.write_failure("Traceback\n  " + "x" * 100_000 + "\nValueError: no\n")
    log.close()
    written = stream.getvalue()
    assert len(written) < 10_000
    if form == "json":
        assert json.loads(written)["level"] == "error"
        assert json.loads(written)["message"].endswith("ValueError: no")
    else:
        assert written.startswith("1970-01-01T00:00:00.000+00:00 error ")
        assert written.endswith("ValueError: no\n")


@cases("form", "text", "json")
def test_a_line_says_the_project_and_the_time_it_took(app: App, project: Project, form: LogForm) -> None:
    stream = io.StringIO()
    log = log_of(app, stream, form)
    response = Response(200, ((b"x-request-id", b"req-7"),), b"", project=project)
    log.write_request(Request("GET", "/v1/contracts", "", {}), response, 12_900_000)
    log.close()
    if form == "json":
        line = json.loads(stream.getvalue())
        assert line == {
            "at": "1970-01-01T00:00:00.000+00:00",
            "method": "GET",
            "target": "/v1/contracts",
            "status": 200,
            "operation": "GetContracts",
            "project": project.id,
            "duration_ms": 12,
            "request_id": "req-7",
        }
    else:
        said = f"200 GET /v1/contracts operation=GetContracts project={project.id} duration_ms=12 "
        said += "request_id=req-7\n"
        assert stream.getvalue().endswith(said)


def test_a_route_is_looked_up_once_for_a_line(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    log, found = log_of(app, io.StringIO(), "json"), []
    find = app.pipeline.server.routes.find
    routes = SimpleNamespace(find=lambda path: found.append(path) or find(path))  # type: ignore[func-returns-value]
    monkeypatch.setattr(log, "_routes", routes)
    log.write_request(Request("GET", "/v1/contracts", "", {}), Response(200, (), b""), 0)
    log.close()
    assert found == ["/v1/contracts"]
