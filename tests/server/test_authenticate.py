"""Who is calling, by every scheme, in the order in which they are looked at."""

from base64 import b64encode
from typing import Any

import jwt
import pytest
from httpx import Client, Response
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.identity.access_tokens import issue
from mockserver.domain.identity.sessions import open_session, sign_cookie
from mockserver.domain.identity.users import create_user
from mockserver.errors import ApiError
from mockserver.server.answering.authenticate import identify
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.identity import Session, User
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases
from tests.transport import InProcessTransport

SK, PK = "sk_test_tests", "pk_test_tests"
CONTRACTS, ACCOUNTS, SOLANA = "/v1/contracts", "/v2/accounts", "/v1/solana/transactions?id=sol_1"
SESSION, ME = "/iam/v2/auth/get-session", "/iam/v2/me"


@pytest.fixture
def client(app: App, project: Project) -> Client:
    """A client that sends no credentials by itself."""
    return Client(transport=InProcessTransport(app), base_url="http://mock")


@pytest.fixture
def signed_in(project: Project) -> tuple[User, Session]:
    """A user with a session."""
    user = create_user(project, name="Ada", email="ada@example.com")
    session = open_session(project, user)
    project.undo.mark()
    return user, session


def basic(text: str) -> str:
    """A user name and password as HTTP basic authentication sends them."""
    return f"Basic {b64encode(text.encode()).decode()}"


def code(response: Response) -> str:
    """The code of a refusal, in either envelope."""
    body = response.json()
    return str(body["error"]["code"] if "error" in body else body["code"])


def get(client: Client, path: str, **headers: str) -> Response:
    """A GET with headers whose names are written with underscores."""
    return client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


# --- every scheme ------------------------------------------------------------------------------------


@cases(
    "authorization",
    f"Bearer {SK}",
    f"bearer {SK}",
    f"Bearer   {SK} ",
    basic(f"{SK}:"),
    basic(f"{SK}:ignored"),
    basic(SK),
)
def test_a_secret_key_comes_as_bearer_or_as_basic_user_name(client: Client, authorization: str) -> None:
    assert get(client, CONTRACTS, authorization=authorization).status_code == 200


def test_a_secret_key_is_one_whatever_comes_beside_it(client: Client) -> None:
    beside = {"x_project_key": PK, "x_player_token": "nonsense", "x_auth_provider": "nobody"}
    assert get(client, CONTRACTS, authorization=f"Bearer {SK}", **beside).status_code == 200


@cases("prefix", "", "Bearer ", "bearer  ")
def test_a_key_comes_in_x_api_key_as_well(client: Client, prefix: str) -> None:
    assert get(client, CONTRACTS, x_api_key=prefix + SK).status_code == 200
    assert code(get(client, SOLANA, x_api_key=prefix + PK)) == "solana_transaction_not_found"
    assert get(client, CONTRACTS, x_api_key=prefix + SK, x_project_key=PK).status_code == 200


def test_what_is_no_key_in_x_api_key_is_not_looked_at(client: Client) -> None:
    assert code(get(client, CONTRACTS, x_api_key="nonsense")) == "api_key_missing"
    assert get(client, CONTRACTS, authorization=f"Bearer {SK}", x_api_key="nonsense").status_code == 200
    assert code(get(client, CONTRACTS, x_project_key=PK, x_api_key="nonsense")) == "scheme_not_allowed"


def test_a_publishable_key_is_taken_where_it_may_be(client: Client) -> None:
    assert code(get(client, SOLANA, authorization=f"Bearer {PK}")) == "solana_transaction_not_found"
    assert code(get(client, SOLANA, authorization=f"Bearer {SK}")) == "scheme_not_allowed"


def test_a_publishable_key_with_a_users_token_has_access(
    client: Client, project: Project, signed_in: tuple[User, Session]
) -> None:
    user, session = signed_in
    for token in (session.token, issue(project, user, session)):
        found = get(client, ACCOUNTS, authorization=f"Bearer {PK}", x_player_token=token)
        assert found.status_code == 200
    refused = get(client, ACCOUNTS, authorization=f"Bearer {PK}", x_player_token="nonsense")
    assert (refused.status_code, code(refused)) == (401, "session_invalid")


def test_a_providers_token_names_a_user_who_stays_the_same(client: Client, project: Project) -> None:
    token = jwt.encode({"sub": "ext-1", "email": "Bob@example.com", "name": "Bob"}, "k" * 32)
    headers = {"authorization": f"Bearer {PK}", "x_auth_provider": "firebase", "x_player_token": token}
    ids = {get(client, ME, **headers).json()["id"] for _ in range(2)}
    assert len(ids) == len(project.identity.users) == 1
    assert get(client, ME, **{**headers, "x_auth_provider": "supabase"}).json()["id"] not in ids


@cases(
    "provider, token, reason",
    ("myspace", "x", "auth_provider_unknown"),
    ("", "x", "auth_provider_unknown"),
    ("custom", "", "player_token_invalid"),
    ("custom", "a.b.c", "player_token_invalid"),
    ("custom", jwt.encode({"sub": "x", "exp": 1}, "k" * 32), "player_token_invalid"),
)
def test_a_providers_token_that_says_nothing_is_refused(
    client: Client, project: Project, provider: str, token: str, reason: str
) -> None:
    refused = get(
        client, ACCOUNTS, authorization=f"Bearer {PK}", x_auth_provider=provider, x_player_token=token
    )
    assert (refused.status_code, code(refused)) == (401, reason)
    assert len(project.identity.users) == 0


def test_a_provider_without_a_token_adds_nothing_to_the_key(client: Client) -> None:
    assert code(get(client, SOLANA, authorization=f"Bearer {PK}", x_auth_provider="firebase")) != "scheme"
    refused = get(client, ACCOUNTS, authorization=f"Bearer {PK}", x_auth_provider="firebase")
    assert "does not accept a publishable key;" in refused.json()["error"]["message"]


@cases("form", "raw", "signed", "access")
@cases("keyed", True, False)
def test_a_session_token_names_its_user_with_or_without_a_key(
    client: Client, project: Project, signed_in: tuple[User, Session], form: str, keyed: bool
) -> None:
    user, session = signed_in
    token = {
        "raw": session.token,
        "signed": sign_cookie(project, session.token),
        "access": issue(project, user, session),
    }[form]
    headers = {"authorization": f"Bearer {token}"} | ({"x_project_key": PK} if keyed else {})
    assert get(client, ME, **headers).json()["id"] == user.id
    assert get(client, ACCOUNTS, **headers).status_code == 200
    assert get(client, SESSION, **headers).json()["session"]["token"] == session.token


def test_a_session_is_of_one_project(client: Client, world: World, signed_in: tuple[User, Session]) -> None:
    world.create(name="other")
    headers = {"authorization": f"Bearer {signed_in[1].token}", "x_project_key": "pk_test_other"}
    assert get(client, ACCOUNTS, **headers).status_code == 401


def test_an_ended_or_wrongly_signed_session_is_none(
    client: Client, project: Project, signed_in: tuple[User, Session]
) -> None:
    token = signed_in[1].token
    wrong = sign_cookie(project, token)[:-6] + "AAA%3D"
    assert get(client, ME, authorization=f"Bearer {wrong}", x_project_key=PK).status_code == 401
    project.clock.move_to(signed_in[1].expires_ms)
    assert get(client, ME, authorization=f"Bearer {token}", x_project_key=PK).status_code == 401


def test_a_project_key_is_enough_for_identity_only(client: Client, signed_in: tuple[User, Session]) -> None:
    signed_up = {"name": "A", "email": "a@example.com", "password": "long enough"}
    sign_up = "/iam/v2/auth/sign-up/email"
    assert client.post(sign_up, json=signed_up, headers={"x-project-key": PK}).status_code == 200
    for path in (CONTRACTS, ACCOUNTS, SOLANA):
        refused = get(client, path, x_project_key=PK, x_player_token=signed_in[1].token)
        assert (refused.status_code, code(refused)) == (401, "scheme_not_allowed")


# --- what is refused ---------------------------------------------------------------------------------


def test_no_credentials_at_all(client: Client) -> None:
    for path in (CONTRACTS, ACCOUNTS):
        refused = get(client, path)
        assert (refused.status_code, code(refused)) == (401, "api_key_missing")
    refused = get(client, SESSION)
    assert refused.status_code == 401
    assert set(refused.json()) == {"code", "message"}


def test_a_scheme_not_taken_is_401_and_names_those_taken(client: Client) -> None:
    refused = get(client, CONTRACTS, authorization=f"Bearer {PK}")
    assert refused.status_code == 401
    assert refused.json()["error"]["message"] == (
        "GetContracts does not accept a publishable key; it accepts a secret key."
    )


def test_a_missing_scope_is_403_and_no_scopes_are_all_scopes(client: Client, world: World) -> None:
    project = world.key(SK).project
    world.declare(project, "sk_test_reader", "sk", frozenset({"contracts:read"}))
    reader = {"authorization": "Bearer sk_test_reader"}
    assert client.get(CONTRACTS, headers=reader).status_code == 200
    body = {"name": "C", "chainId": 80002, "address": "0x" + "11" * 20}
    refused = client.post(CONTRACTS, json=body, headers=reader)
    assert (refused.status_code, code(refused)) == (403, "scope_missing")
    assert "contracts:write" in refused.json()["error"]["message"]
    assert client.post(CONTRACTS, json=body, headers={"authorization": f"Bearer {SK}"}).status_code == 200


@cases(
    "authorization, reason",
    ("", "api_key_missing"),
    ("Bearer", "api_key_missing"),
    ("Bearer ", "api_key_missing"),
    ("Bearer nonsense", "session_invalid"),
    ("Bearer a.b.c", "session_invalid"),
    ("Digest username=x", "session_invalid"),
    ("Bearer sk_", "api_key_malformed"),
    ("Bearer sk_test_", "api_key_malformed"),
    ("Bearer sk_prod_x", "api_key_malformed"),
    ("Bearer pk_test_a b", "api_key_malformed"),
    ("Bearer sk_test_x, Bearer sk_test_y", "api_key_malformed"),
    ("Bearer sk_test_" + "x" * 60_000, "api_key_malformed"),
    ("Bearer " + "x" * 60_000, "session_invalid"),
    ("Basic", "api_key_malformed"),
    ("Basic !!!", "api_key_malformed"),
    ("Basic /w==", "api_key_malformed"),
    (basic(":sk_test_x"), "api_key_malformed"),
    (basic("ada:secret"), "api_key_malformed"),
    ("Bearer sk_live_production", "live_key_undeclared"),
    ("Bearer pk_live_production", "live_key_undeclared"),
    (basic("sk_live_production:"), "live_key_undeclared"),
)
def test_credentials_that_are_none_are_401_and_open_no_project(
    client: Client, world: World, authorization: str, reason: str
) -> None:
    refused = get(client, CONTRACTS, authorization=authorization)
    assert (refused.status_code, code(refused)) == (401, reason)
    assert len(refused.content) < 1_000
    assert [project.name for project in world] == ["tests"]


def test_a_session_token_is_no_basic_user_name(client: Client, signed_in: tuple[User, Session]) -> None:
    refused = get(client, ACCOUNTS, authorization=basic(f"{signed_in[1].token}:"), x_project_key=PK)
    assert (refused.status_code, code(refused)) == (401, "api_key_malformed")


def test_a_strict_world_knows_declared_keys_only() -> None:
    world = World(strict_keys=True)
    with Client(transport=InProcessTransport(assemble(world)), base_url="http://mock") as client:
        refused = get(client, CONTRACTS, authorization="Bearer sk_test_undeclared")
    assert (refused.status_code, code(refused)) == (401, "api_key_unknown")
    assert len(world) == 0


# --- live keys ---------------------------------------------------------------------------------------

LIVE = "sk_live_production-secret"


@cases(
    "headers",
    {"authorization": f"Bearer {LIVE}"},
    {"authorization": LIVE},
    {"authorization": basic(f"{LIVE}:")},
    {"x-project-key": LIVE},
    {"authorization": f"Bearer {SK}", "x-project-key": LIVE},
    {"authorization": "Bearer token", "x-project-key": LIVE},
    {"x-api-key": LIVE},
    {"x-api-key": f"Bearer {LIVE}"},
    {"authorization": f"Bearer {SK}", "x-api-key": f"Bearer {LIVE}"},
    {"x-project-key": PK, "x-api-key": LIVE},
    {"authorization": f"Bearer {PK}", "x-project-key": LIVE.replace("sk", "pk")},
)
@cases("path", CONTRACTS, SESSION, "/nowhere")
def test_an_undeclared_live_key_is_told_why_and_not_journalled(
    client: Client, world: World, headers: dict[str, str], path: str
) -> None:
    response = client.get(path, headers=headers)
    assert response.status_code in (401, 404)
    if path != "/nowhere":
        assert code(response).lower() == "live_key_undeclared"
        assert "Never send a production secret" in response.json()["detail"]
    assert "production-secret" not in response.text
    assert [entry for one in world for entry in one.history] == []


def test_a_declared_live_key_works_and_keeps_to_its_mode(client: Client, world: World) -> None:
    live = world.create(name="shop", livemode=True)
    headers = {"authorization": f"Bearer {live.secret_key}", "x-project-key": live.publishable_key}
    assert client.get(CONTRACTS, headers=headers).status_code == 200
    assert live.history.calls == 1


# --- anything at all ---------------------------------------------------------------------------------

HEADER = st.text(st.characters(min_codepoint=1, max_codepoint=255), max_size=40)
CREDENTIAL = HEADER | st.sampled_from([SK, PK, f"Bearer {SK}", f"Bearer {PK}", "Basic ", "Bearer a.b.c"])


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "authorization": CREDENTIAL | HEADER.map("Basic {}".format) | HEADER.map("Bearer {}".format),
            "x-project-key": CREDENTIAL,
            "x-api-key": CREDENTIAL,
            "x-player-token": HEADER,
            "x-auth-provider": HEADER | st.just("firebase"),
        },
    )
)
def test_any_headers_give_a_caller_or_none_or_an_error_with_401(headers: dict[str, Any]) -> None:
    refused = found = None
    try:
        found = identify(World(), headers)
    except ApiError as refusal:
        refused = refusal
    silent = "authorization" not in headers and "x-project-key" not in headers
    silent = silent and not headers.get("x-api-key", "").rpartition(" ")[2].startswith(("sk_", "pk_"))
    assert silent == (found is None and refused is None)
    assert refused is None or (refused.row.status == 401 and len(refused.message) < 500)
