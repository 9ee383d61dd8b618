"""A project in which things have happened, and what must hold of every answer it gives."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.api.call import Request
from mockserver.api.family import family_of
from mockserver.crypto.tokens import sign_es256
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Response
from mockserver.server.assembly import ENDPOINTS, assemble
from mockserver.state.project import Project, ProjectState
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World
from tests.wallet_auth import load_secret

API = [endpoint for endpoint in ENDPOINTS if endpoint.family.public]


class Stage(NamedTuple):
    """A pipeline over a project in which things have happened, and the words that mean something there."""

    pipeline: Pipeline
    project: Project
    state: ProjectState
    failures: list[str]
    words: list[str]
    wallet_key: EllipticCurvePrivateKey
    token: str

    def send(self, request: Request) -> Response:
        """The answer to a request; one that waits is answered at once."""
        return self.pipeline.finish(self.pipeline.answer(request))


def staged() -> Stage:
    """A stage with users, accounts, contracts, policies and transactions."""
    failures: list[str] = []
    world = World()
    project = world.create(name="tests", defaults=ProjectDefaults(settings=Settings(one_time_code="123456")))
    key = load_secret(default_secret(project))
    pipeline = assemble(world).pipeline
    pipeline.server.on_failure = failures.append
    stage = Stage(pipeline, project, project.snapshot(), failures, [], key, "")
    seen: list[bytes] = []

    def post(path: str, body: Mapping[str, object]) -> Any:
        request = Request(
            "POST", path, "", {"authorization": "Bearer sk_test_tests"}, json.dumps(body).encode()
        )
        signed(stage, request, len(seen))
        response = stage.send(request)
        assert response.status < 300, response.body
        seen.append(response.body)
        return json.loads(response.body)

    ada = {"name": "Ada", "email": "ada@example.com", "password": "long enough"}
    token = post("/iam/v2/auth/sign-up/email", ada)["token"]
    user = next(iter(project.identity.users)).id
    post("/v1/contracts", {"name": "C", "chainId": 80002, "address": "0x" + "11" * 20})
    account = post("/v2/accounts/backend", {"chainType": "EVM"})["id"]
    post("/v2/accounts/backend", {"chainType": "SVM"})
    owned = {"accountType": "Externally Owned Account", "chainType": "EVM", "user": user}
    post("/v2/accounts", owned)
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = post("/v2/policies", {"scope": "project", "rules": [rule]})["id"]
    post("/v2/fee-sponsorship", {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy})
    post("/v1/paymasters", {"address": "0x" + "11" * 20})
    post("/v1/forwarder_contracts", {"address": "0x" + "11" * 20, "chainId": 80002})
    post("/v1/settings/developer_accounts", {})
    call = {"to": "0x" + "22" * 20, "value": "1", "data": "0x"}
    post("/v2/transactions", {"chainId": 80002, "accountId": account, "calls": [call]})
    ids = re.findall(rb'"((?:[a-z]{3}_[0-9a-f-]{36})|0x[0-9a-fA-F]{40})"', b"".join(seen))
    words = [user, token, *dict.fromkeys(text.decode() for text in ids)]
    return stage._replace(state=project.snapshot(), words=words, token=token)


def signed(stage: Stage, request: Request, number: int) -> None:
    """Add the `X-Wallet-Auth` of the project's wallet secret."""
    claims: dict[str, object] = {
        "uris": [f"{request.method} {request.path}"],
        "iat": 1_780_000_000,
        "nbf": 1_780_000_000,
        "jti": f"number {number}",
        "reqHash": hashlib.sha256(request.body).hexdigest(),
    }
    request.headers = {**request.headers, "x-wallet-auth": sign_es256(stage.wallet_key, claims)}


def refuse_constant(name: str) -> None:
    """JSON has no such number."""
    raise AssertionError(f"{name} is no JSON")


def check_envelope(request: Request, response: Response) -> None:
    """An answer is JSON, and a refusal comes in the envelope of its family."""
    headers = dict(response.headers)
    assert all(32 <= byte < 127 for header in response.headers for part in header for byte in part)
    if request.method == "HEAD":
        assert (response.body, response.status != 500) == (b"", True)
        return
    if not response.body:
        assert response.status in (200, 204, 302), response
        return
    if not headers[b"content-type"].endswith(b"json"):
        assert response.status < 400
        return
    body = json.loads(response.body, parse_constant=refuse_constant)
    assert response.status != 500, response.body
    if response.status < 400:
        return
    assert len(response.body) < 4_000 + 10 * len(request.body)
    family = family_of(request.path).name
    if headers[b"content-type"] == b"application/problem+json":
        assert body["status"] == response.status
        assert all(isinstance(body[name], str) and body[name] for name in ("type", "title", "detail"))
    else:
        assert family != "control"
    if family == "iam":
        assert isinstance(body["code"], str)
        assert isinstance(body["message"], str)
    elif family == "api":
        error = body["error"]
        assert error["type"] == "invalid_request_error"
        assert all(isinstance(error[name], str) and error[name] for name in ("code", "message"))
        assert isinstance(error.get("param", ""), str)
        assert all(finding["message"] for finding in error.get("details", {}).values())


def held(project: Project) -> tuple[object, ...]:
    """All that a project holds, but where a refused call may leave what must stay spent."""
    requests = project.requests
    spent = (project.wallets.spent_tokens, project.identity.verifications, requests.rule_states)
    spared = {id(table) for table in (*spent, requests.rate_windows)}
    _, *rest = project.snapshot()
    return rest, [list(table) for table in project.tables if id(table) not in spared]


def throw(stage: Stage, request: Request, *, spoils: bool = True) -> None:
    """Send a request to the stage as it was, and check everything that must hold."""
    project = stage.project
    project.restore(stage.state)
    before = held(project)
    response = stage.send(request)
    assert stage.failures == []
    check_envelope(request, response)
    if response.status >= 400 and spoils:
        assert held(project) == before
    assert stage.send(Request("GET", "/_mock/health", "", {})).status == 200
