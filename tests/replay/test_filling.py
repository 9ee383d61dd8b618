"""Requests that are made again with the values that the answers before them have now."""

import json
from hashlib import sha256
from typing import Any

import jwt

from mockserver.chain.addresses import address_of
from mockserver.domain.wallets.wallet_secrets import active_secret, default_secret, revoke, rotate
from mockserver.replay.shrinking.filling import fill, signer_of, with_body
from mockserver.replay.shrinking.links import Answers, Link, LinkTable
from mockserver.replay.shrinking.places import ValuePlace
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.state.project import Project
from mockserver.state.wallets import key_id
from mockserver.state.world import World
from tests.accounts import account_of
from tests.replay.invented_runs import answer, get, post
from tests.tables import cases

THEN, NOW = "con_then12345", "con_now"
DRAWN = Link(1, ValuePlace("body", "/id"))


def filled(request: RecordedRequest, first: RecordedAnswer | None) -> RecordedRequest | None:
    """The second request of a run, whose first answer had a drawn value and is another one now."""
    table, answers = LinkTable(), Answers()
    table.add(THEN, DRAWN)
    if first is not None:
        answers.add(1, first)
    return fill(table.link(request, 2), answers, World())


@cases(
    "request_, expected",
    (get(f"/v1/contracts/{THEN}"), get(f"/v1/contracts/{NOW}")),
    (get(query=f"a={THEN}"), get(query=f"a={NOW}")),
    (get("/v1/contracts", ("x-a", "b"), ("x-b", THEN)), get("/v1/contracts", ("x-a", "b"), ("x-b", NOW))),
    (post({"base64": "/w=="}, path=f"/v1/{THEN}"), post({"base64": "/w=="}, path=f"/v1/{NOW}")),
    (post({"base64": "/w=="}), post({"base64": "/w=="})),
    (post("a", ("content-length", "9")), post("a", ("content-length", "9"))),
    (
        post(f'{{"é": "{THEN}"}}', ("x-a", "24"), ("Content-Length", "24")),
        post(f'{{"é": "{NOW}"}}', ("x-a", "24"), ("Content-Length", "17")),
    ),
)
def test_answers_have_todays_values(request_: RecordedRequest, expected: RecordedRequest) -> None:
    assert filled(request_, answer(body=f'{{"id": "{NOW}"}}')) == expected


@cases(
    "request_",
    get(f"/v1/contracts/{THEN}"),
    get(query=f"a={THEN}"),
    get("/v1/contracts", ("x-a", THEN)),
    post(f'{{"a": "{THEN}"}}'),
)
@cases("first", None, answer(404, '{"error": {}}'))
def test_a_request_needs_its_value(request_: RecordedRequest, first: RecordedAnswer | None) -> None:
    assert filled(request_, first) is None


@cases("body, length", ("", "0"), ("abc", "3"), ("é", "2"), ("\ud800", "1"))
def test_another_body_has_its_length(body: str, length: str) -> None:
    given = post("before", ("Content-Length", "6"), ("x-a", "6"))
    assert with_body(given, body) == post(body, ("Content-Length", length), ("x-a", "6"))


@cases("signature", "0x" + "00" * 65, "0x" + "ff" * 65)
def test_what_is_no_signature_was_made_by_no_key(signature: Any) -> None:
    assert signer_of(signature, "0x" + "11" * 32) is None


# --- signatures of requests -----------------------------------------------------------------------------

SIGNED = "/v2/accounts/backend"


def signed(
    project: Project, key: str = "", path: str = SIGNED, name: str = "x-wallet-auth"
) -> RecordedRequest:
    """A request with a value of the first answer, which was signed when it was recorded."""
    given = (
        ("authorization", f"Bearer {key or project.secret_key}"),
        (name, "as it was"),
        ("x-a", "as it was"),
    )
    return post(f'{{"name": "{THEN}"}}', *given, path=path)


def auth_of(
    project: Project, world: World, request: RecordedRequest, now: str = f'{{"id": "{NOW}"}}'
) -> dict[str, str]:
    """The headers of the second request of a run when it is made again."""
    table, answers = LinkTable(), Answers()
    table.add(THEN, DRAWN)
    answers.add(1, answer(body=now))
    found = fill(table.link(request, 2), answers, world)
    assert found is not None
    return dict(found.headers)


def test_what_the_own_wallet_secret_signed_is_signed_again(world: World, project: Project) -> None:
    default_secret(project)
    headers = auth_of(project, world, signed(project)._replace(root_path="/mock"))
    secret = active_secret(project)
    assert secret is not None
    claims = jwt.decode(
        headers["x-wallet-auth"],
        secret.public_key_pem,
        algorithms=["ES256"],
        options={"verify_iat": False, "verify_nbf": False},
    )
    assert claims["uris"] == [f"POST /mock{SIGNED}"]
    assert claims["reqHash"] == sha256(f'{{"name": "{NOW}"}}'.encode()).hexdigest()
    assert claims["iat"] == project.clock.now_s
    assert headers["x-a"] == "as it was"


def test_a_request_that_is_the_same_keeps_its_signature(world: World, project: Project) -> None:
    default_secret(project)
    assert auth_of(project, world, signed(project), f'{{"id": "{THEN}"}}')["x-wallet-auth"] == "as it was"


@cases("changed", {"key": "sk_test_another"}, {"path": "/v2/none"}, {"name": "x-other"})
def test_what_no_request_signed_stays(changed: dict[str, str], world: World, project: Project) -> None:
    default_secret(project)
    headers = auth_of(project, world, signed(project, **changed))
    assert {*headers.values()} >= {"as it was"}
    assert [value for value in headers.values() if value.startswith("ey")] == []
    assert [*world] == [project], "a key of no project makes none"


@cases("is_rotated", True, False)
def test_what_another_signed_cannot_be_repeated(is_rotated: bool, world: World, project: Project) -> None:
    other = world.create(name="other")
    for each in (project, other):
        default_secret(each)
    own, theirs = active_secret(project), active_secret(other)
    assert own is not None
    assert theirs is not None
    if is_rotated:
        rotate(project, theirs.public_key_pem)
    else:
        revoke(project, own.id)
    assert auth_of(project, world, signed(project))["x-wallet-auth"] == "as it was"


# --- signatures of hashes -------------------------------------------------------------------------------

SIGNATURE, DIGEST_THEN, DIGEST_NOW = "0x" + "ab" * 65, "0x" + "11" * 32, "0x" + "22" * 32


def signature_of(
    world: World, account: str | Link, *, hash_now: str = DIGEST_NOW, account_now: str = ""
) -> str | None:
    """The signature in the second request of a run when it is made again; None if it cannot be."""
    table, answers = LinkTable(), Answers()
    table.add_digest(DIGEST_THEN, Link(1, ValuePlace("body", "/hash")))
    table.signatures[SIGNATURE] = account, DIGEST_THEN
    answers.add(1, answer(body=f'{{"hash": "{hash_now}", "account": "{account_now}"}}'))
    request = post(f'{{"signature": "{SIGNATURE}"}}')
    found = fill(table.link(request, 2), answers, world)
    return None if found is None else str(json.loads(found.body)["signature"])


def test_what_an_accounts_key_signed_is_signed_again(world: World, project: Project) -> None:
    world.create(name="other")
    account = account_of(project, "plain")
    for given in (account.id, Link(1, ValuePlace("body", "/account"))):
        signature = signature_of(world, given, account_now=account.id)
        assert signature is not None
        public_key = signer_of(signature, DIGEST_NOW)
        assert public_key is not None
        assert address_of(public_key) == account.signing_address
    assert signature_of(world, Link(1, ValuePlace("body", "/none")), account_now=account.id) is None


def test_what_no_account_can_sign_is_not_signed(world: World, project: Project) -> None:
    account = account_of(project, "plain")
    assert signature_of(world, "acc_none") is None
    project.wallets.keys.remove(key_id(account.signing_address, "EVM"))
    assert signature_of(world, account.id) is None


def test_a_project_that_is_put_away_signs_nothing(world: World, project: Project) -> None:
    account = account_of(project, "plain")
    project.put_away()
    assert signature_of(world, account.id) is None
