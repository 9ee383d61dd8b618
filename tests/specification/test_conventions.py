"""What holds of all operations: keys, bodies, signed requests, acting for another project, versions."""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import jwt
import pytest

from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.answering.render import Response
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document
from tests.specification.credentials import ISSUED_S
from tests.specification.lines import filled
from tests.specification.setting import the_stage
from tests.specification.stage import AMOY, AUTH, SECRET, VISITOR, Stage
from tests.tables import cases
from tests.wallet_auth import load_secret

MUMBAI_LIVE = 137
OTHER = {"authorization": "Bearer sk_test_other"}


@pytest.fixture
def stage() -> Iterator[Stage]:
    """The stage as it was set."""
    found = the_stage()
    found.restore()
    yield found
    assert found.failures == []


def status(response: Response) -> int:
    return response.status


def body_of(response: Response) -> Any:
    return json.loads(response.body)


def test_a_secret_key_may_be_the_basic_user_name(stage: Stage) -> None:
    basic = b64encode(b"sk_test_specification:").decode()
    assert status(stage.send("GET", "/v2/users", {"authorization": f"Basic {basic}"})) == 200


def test_a_key_that_is_none_is_401(stage: Stage) -> None:
    response = stage.send("GET", "/v2/users", {"authorization": "Bearer nonsense"})
    assert (response.status, body_of(response)["error"]["type"]) == (401, "invalid_request_error")


@cases("path", "/v1/players", "/v1/accounts")
def test_older_endpoints_take_forms(stage: Stage, path: str) -> None:
    headers = {**SECRET, "content-type": "application/x-www-form-urlencoded"}
    content = f"chainId={AMOY}&name=Zoe&metadata[level]=1".encode()
    assert status(stage.send("POST", path, headers, content)) == 200


def test_one_object_is_made_by_a_request(stage: Stage) -> None:
    assert status(stage.send("POST", "/v1/contracts", SECRET, b"[{}, {}]")) == 400


def test_an_answer_is_json(stage: Stage) -> None:
    assert dict(stage.send("GET", "/v2/users", SECRET).headers)[b"content-type"] == b"application/json"


def test_an_unknown_path_is_404(stage: Stage) -> None:
    assert status(stage.send("GET", "/v2/moons", SECRET)) == 404


def test_test_keys_act_on_testnets_and_live_keys_on_mainnets(stage: Stage) -> None:
    live = stage.world.create(name="live-specification", livemode=True)
    try:
        for key, chain, expected in (
            ("sk_test_specification", AMOY, 200),
            ("sk_test_specification", MUMBAI_LIVE, 400),
            (live.secret_key, MUMBAI_LIVE, 200),
            (live.secret_key, AMOY, 400),
        ):
            content = json.dumps({"name": "C", "chainId": chain, "address": "0x" + "33" * 20}).encode()
            response = stage.send("POST", "/v1/contracts", {"authorization": f"Bearer {key}"}, content)
            assert response.status == expected, response.body
        assert [row.chain_id for row in live.onchain.contracts] == [MUMBAI_LIVE]
    finally:
        stage.world.delete(live)


# --- X-Wallet-Auth -----------------------------------------------------------------------------------


def signed(stage: Stage, **changes: Any) -> Response:
    """A request for a wallet whose token has other claims than it should; None leaves one out."""
    content = b'{"chainType":"EVM"}'
    assert stage.send("POST", "/v2/accounts/backend", SECRET, content, wallet=True).status == 200
    token = jwt.decode(stage.last_wallet_token, options={"verify_signature": False})
    claims = {**token, "jti": f"other {sorted(changes)}", **changes}
    claims = {name: value for name, value in claims.items() if value is not None}
    header = {"x-wallet-auth": jwt.encode(claims, stage.wallet_key, "ES256")}
    return stage.send("POST", "/v2/accounts/backend", {**SECRET, **header}, content)


def test_a_wallet_token_needs_no_end(stage: Stage) -> None:
    assert status(signed(stage)) == 200
    assert status(signed(stage, exp=ISSUED_S + 3600)) == 200


@cases(
    "changes",
    {"uris": ["POST /v2/accounts"]},
    {"uris": None},
    {"reqHash": "00" * 32},
    {"reqHash": None},
    {"iat": None},
    {"nbf": None},
    {"nbf": ISSUED_S + 3600},
    {"exp": ISSUED_S - 60},
    ids=str,
)
def test_a_wallet_token_is_for_its_request_and_its_time(stage: Stage, changes: dict[str, Any]) -> None:
    assert status(signed(stage, **changes)) == 401


def test_a_wallet_token_is_signed_by_the_registered_key(stage: Stage) -> None:
    other = stage.world.create(name="stranger-of-specification")
    stage.wallet_key, key = load_secret(default_secret(other)), stage.wallet_key
    try:
        response = stage.send("POST", "/v2/accounts/backend", SECRET, b'{"chainType":"EVM"}', wallet=True)
    finally:
        stage.wallet_key = key
        stage.world.delete(other)
    assert response.status == 401


# --- acting for another project ----------------------------------------------------------------------

REQUESTS = (
    ("/v1/sessions", {"address": "0x" + "44" * 20, "validAfter": ISSUED_S, "validUntil": ISSUED_S + 3600}),
    ("/v1/sessions/revoke", {"address": "$session_key_address"}),
    ("/v1/transaction_intents", {"interactions": [{"to": "0x" + "11" * 20}]}),
)


@cases("path, body", *REQUESTS, ids=[path for path, _ in REQUESTS])
def test_an_ecosystem_acts_for_a_project_that_agrees(stage: Stage, path: str, body: dict[str, Any]) -> None:
    given = {**body, "chainId": AMOY, "account": stage.names["player_account"]}
    given = filled(given, stage.names)
    headers = {**OTHER, "x-behalf-of-project": stage.project.id}
    content = json.dumps(given).encode()
    refused = stage.send("POST", path, headers, content)
    assert refused.status == 401
    assert body_of(refused)["error"]["authorizationCode"]
    ecosystem = stage.world.key("sk_test_other").project.id
    stage.change({"ecosystems": [ecosystem]})
    assert status(stage.send("POST", path, headers, content)) == 200


# --- limits ------------------------------------------------------------------------------------------


def test_identity_endpoints_limit_how_often_they_are_called(stage: Stage) -> None:
    stage.change({"rate_limits": True})
    content = json.dumps({"email": "ada@example.com", "password": "wrong password"}).encode()
    caller = {**VISITOR, "x-forwarded-for": "203.0.113.1"}
    answers = [stage.send("POST", f"{AUTH}/sign-in/email", caller, content) for _ in range(20)]
    assert answers[-1].status == 429
    assert isinstance(body_of(answers[-1])["message"], str)


def test_a_session_key_shows_its_latest_ten_intents(stage: Stage) -> None:
    row = next(row for row in stage.project.onchain.transactions if row.session_key_id)
    for number in range(12):
        stage.project.onchain.transactions.insert(row._replace(id=f"tin_{number}"))
    stage.project.undo.mark()
    assert len(stage.call("GET", f"/v1/sessions/{row.session_key_id}")["transactionIntents"]) == 10


# --- versions ----------------------------------------------------------------------------------------


def test_the_version_of_the_api_is_1_0_0() -> None:
    assert document(ENDPOINTS, control=False)["info"]["version"] == "1.0.0"


@cases(
    "method, path",
    ("get", "/iam/v1/oauth"),
    ("get", "/iam/v1/oauth/{provider}"),
    ("delete", "/iam/v1/oauth/{provider}"),
    ("post", "/iam/v1/oauth/{provider}/verify"),
)
def test_older_operations_are_marked_as_deprecated(method: str, path: str) -> None:
    assert document(ENDPOINTS, control=False)["paths"][path][method]["deprecated"]


@cases("member", "tokenContract", "tokenContractAmount")
def test_older_members_of_a_strategy_are_marked_as_deprecated(member: str) -> None:
    schemas = document(ENDPOINTS, control=False)["components"]["schemas"]
    strategies = [schemas[name] for name in ("StrategyBody", "StrategyAnswer")]
    assert all(strategy["properties"][member]["deprecated"] for strategy in strategies)
