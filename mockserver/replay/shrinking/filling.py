"""Making a request again with the values that the answers before it have now."""

from mockserver.crypto import secp256k1
from mockserver.domain.wallets.developer_accounts import acting_account
from mockserver.domain.wallets.keys.custody import sign_digest
from mockserver.domain.wallets.wallet_auth import HEADER, sign_request
from mockserver.domain.wallets.wallet_secrets import active_secret, default_secret
from mockserver.replay.shrinking.conditions import endpoint_of
from mockserver.replay.shrinking.links import Answers, Link, LinkedRequest, Signed, Text
from mockserver.replay.steps import RecordedRequest
from mockserver.state.project import Project
from mockserver.state.wallets import DEFAULT_KEY_ID
from mockserver.state.world import World

_KEY = "Bearer "


def fill(linked: LinkedRequest, answers: Answers, world: World) -> RecordedRequest | None:
    """The request with the values of the answers; None if one of them lacks a value.

    What the keys of the world have signed is signed again.
    """
    request = linked.request
    texts = [_fill(text, answers, world) for text in (linked.path, linked.query, *linked.headers)]
    body = None if linked.body is None else _fill(linked.body, answers, world)
    if None in texts or (body is None and linked.body is not None):
        return None
    path, query, *values = (text or "" for text in texts)
    names = (name for name, _ in request.headers)
    again = request._replace(path=path, query=query, headers=tuple(zip(names, values, strict=True)))
    if body is not None and body != request.body:
        again = with_body(again, body)
    return again if again == request else sign_again(again, world)


def with_body(request: RecordedRequest, body: str) -> RecordedRequest:
    """A request with another body, and the length that says so."""
    length = str(len(body.encode("utf-8", "replace")))
    headers = tuple(
        (name, length if name.lower() == "content-length" else value) for name, value in request.headers
    )
    return request._replace(headers=headers, body=body)


def _fill(text: Text, answers: Answers, world: World) -> str | None:
    found = []
    for piece in text:
        value: str | None
        if isinstance(piece, Link):
            value = answers.value(piece)
        else:
            value = _sign(piece, answers, world) if isinstance(piece, Signed) else piece
        if value is None:
            return None
        found.append(value)
    return "".join(found)


def _sign(signed: Signed, answers: Answers, world: World) -> str | None:
    account_id = answers.value(signed.account) if isinstance(signed.account, Link) else signed.account
    digest = answers.value(signed.digest)
    if account_id is None or digest is None:
        return None
    for project in world:
        signature = None if project.is_put_away else _sign_in(project, account_id, digest)
        if signature is not None:
            return signature
    return None


def _sign_in(project: Project, account_id: str, digest: str) -> str | None:
    account = acting_account(project, account_id)
    if account is None:
        return None
    try:
        return f"0x{sign_digest(project, account, bytes.fromhex(digest[2:])).hex()}"
    except ValueError:
        return None


def sign_again(request: RecordedRequest, world: World) -> RecordedRequest:
    """The request with a new `X-Wallet-Auth`, if it has one and the wallet secret is the project's own."""
    name = HEADER.lower()
    given = request.to_request()
    key = given.headers.get("authorization", "").removeprefix(_KEY)
    if endpoint_of(request) is None or name not in given.headers or not world.is_taken(key):
        return request
    project = world.key(key).project
    active = active_secret(project)
    if active is None or active.id != DEFAULT_KEY_ID:
        return request
    secret, path = default_secret(project), given.root_path + given.path
    token = sign_request(secret, given.method, path, given.body, project.clock.now_s)
    headers = tuple((each, token if each.lower() == name else value) for each, value in request.headers)
    return request._replace(headers=headers)


def signer_of(signature: str, digest: str) -> bytes | None:
    """The public key that made a signature of a digest; None if none can have."""
    try:
        given = secp256k1.Signature.from_bytes(bytes.fromhex(signature[2:]))
        return secp256k1.recover(bytes.fromhex(digest[2:]), given)
    except secp256k1.BadSignature:
        return None
