"""Sending the `given` steps of a scenario to the API."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mockserver.api.call import Request, Send
from mockserver.api.values import find_rpc_error, read_json, to_json
from mockserver.domain.wallets.wallet_auth import sign_request
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.errors import is_error
from mockserver.scenario.grammar.given import SetupCall, encode_query, named_parameters
from mockserver.scenario.reading.findings import Findings
from mockserver.scenario.reading.references import PROJECT, resolve
from mockserver.scenario.reading.tree import Node
from mockserver.state.project import Project

_SIGNED = "x-wallet-auth"


def send_steps(
    calls: Sequence[SetupCall], project: Project, send: Send, findings: Findings
) -> dict[str, Any]:
    """Send the steps in order; the captured answers by name. The first that fails rejects the scenario."""
    captured = project_values(project)
    for step in calls:
        request = make_request(step, project, captured, findings)
        findings.stop_if_any()
        request.is_step = True
        answer = send(request)
        if not hasattr(answer, "status"):
            message = f"{step.endpoint.operation} waits, and nothing happens while steps are sent"
            findings.reject(step.place, message)
        body = read_json(answer.body)
        is_rpc_error = find_rpc_error(answer.body) is not None
        if is_rpc_error or is_error(answer.status):
            said = f"{'an error' if is_rpc_error else answer.status}{reason_of(body)}"
            findings.reject(step.place, f"{step.endpoint.operation} was refused with {said}")
        if step.name is not None:
            captured[step.name] = body
    return captured


def project_values(project: Project) -> dict[str, Any]:
    """What references may refer to before any answer is captured."""
    return {
        PROJECT: {
            "id": project.id,
            "secret_key": project.secret_key,
            "publishable_key": project.publishable_key,
        }
    }


def make_request(
    step: SetupCall, project: Project, captured: Mapping[str, Any], findings: Findings
) -> Request:
    """The request of a step, signed if it has to be. A reference to nothing is noted."""
    request = _request(step, project, captured, findings)
    if findings or not step.endpoint.access.wallet_auth or _SIGNED in request.headers:
        return request
    token = sign_request(
        default_secret(project), request.method, request.path, request.body, project.clock.now_s
    )
    return replace(request, headers={**request.headers, _SIGNED: token})


def _request(step: SetupCall, project: Project, captured: Mapping[str, Any], findings: Findings) -> Request:
    def filled(part: str) -> Node | None:
        node = step.part(part)
        return None if node is None else resolve(node, captured, findings)

    headers = {"authorization": f"Bearer {project.secret_key}"}
    body, query = filled("body"), filled("query")
    if body is not None:
        headers["content-type"] = "application/json"
    given_headers = filled("headers")
    if given_headers is not None:
        headers |= {name.lower(): member.text for name, member in given_headers.value.items()}
    return Request(
        method=step.endpoint.method,
        path=_path(step, project, filled("call"), filled("path")),
        query=encode_query(query.plain()) if query is not None else "",
        headers=headers,
        body=to_json(body.plain()) if body is not None else b"",
        # A project that takes HTTPS only is no reason to refuse its own scenario.
        scheme="https",
    )


def _path(step: SetupCall, project: Project, target: Node | None, values: Node | None) -> str:
    if step.spells_path and target is not None:
        return target.text.partition(" ")[2].strip()
    path = step.endpoint.path.replace("{p}", project.id)
    for parameter in named_parameters(step.endpoint):
        value = values.value[parameter].text if values is not None else ""
        path = path.replace(f"{{{parameter}}}", value.replace("/", "%2F"))
    return path


def reason_of(body: Any) -> str:
    """What an error's body says, in each envelope."""
    if not isinstance(body, dict):
        return ""
    error = body["error"] if isinstance(body.get("error"), dict) else body
    said = [str(error[name]) for name in ("code", "message", "detail") if error.get(name)]
    return f" {': '.join(said)}" if said else ""
