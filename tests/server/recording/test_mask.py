"""What a mask takes for a secret, where it finds one, and what it leaves as the server made it."""

import json
from base64 import b64encode
from typing import Any, get_args

import jwt
import orjson
import pytest

from mockserver.api.call import Request
from mockserver.chain.base58 import base58_encode
from mockserver.crypto import ed25519, p256
from mockserver.crypto.passwords import hash_password, verify_password
from mockserver.crypto.tokens import sign_es256
from mockserver.domain.identity.access_tokens import issue
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.wallet_auth import sign_request
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.server.edge.app import App
from mockserver.server.recording.lines import encode_request, encode_request_headers, to_line
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.recorder import MaskedSink
from mockserver.state.identity import Verification, VerificationKind
from mockserver.state.project import Project
from mockserver.state.wallets import Key
from mockserver.state.world import World
from tests.tables import cases

MOST_HIDDEN = 200

SIGN_UP = "/iam/v2/auth/sign-up/email"
SECRET = "correct-horse-battery"
SHORT = "hunter2"
FIRST = "masked-00001"
EVM_KEY = Key("0xabc", "EVM", bytes(range(32)), imported=True)
SVM_KEY = Key("So1", "SVM", bytes(range(1, 33)), imported=True)


@pytest.fixture
def mask(app: App, project: Project) -> Mask:
    """The mask of a recording that begins."""
    return Mask(app.pipeline)


def request(method: str = "POST", path: str = SIGN_UP, body: Any = None, **headers: str) -> Request:
    """A request with JSON."""
    raw = b"" if body is None else json.dumps(body).encode()
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [(name.encode(), value.encode()) for name, value in given.items()]
    return Request(method, path, "", given, raw, raw_headers=lines)


def written(mask: Mask, body: Any, **headers: str) -> dict[str, Any]:
    """A request as it is written."""
    hidden = mask.hide_request(request(body=body, **headers))
    shown = encode_request(hidden, encode_request_headers(hidden, None))
    line: dict[str, Any] = mask.hide_line({"request": shown})["request"]
    return line


def bring(mask: Mask, *secrets: object) -> list[Any]:
    """Let clients bring passwords; what is shown of each."""
    return [json.loads(written(mask, {"password": secret})["body"])["password"] for secret in secrets]


def shown_header(mask: Mask, body: Any = None, **header: str) -> str:
    """What is shown of the header of a request."""
    ((_, value),) = written(mask, body, **header)["headers"]
    return str(value)


def answer_with(body: Any = "", *headers: tuple[str, str]) -> dict[str, Any]:
    """An answer as a recording has it."""
    text = body if isinstance(body, str) else json.dumps(body)
    return {"status": 200, "headers": list(headers), "body": text}


# --- what clients bring ---------------------------------------------------------------------------------


def test_a_secret_cannot_be_guessed_by_a_digest_of_its_body(mask: Mask) -> None:
    digest = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
    assert shown_header(mask, {"name": "Ada"}, content_digest=digest) == digest
    assert shown_header(mask, {"password": SECRET}, content_digest=digest) == "masked-00002"


def test_a_secret_has_a_placeholder_which_stays(mask: Mask) -> None:
    assert bring(mask, SECRET, SHORT, SECRET, FIRST, "  ", "") == [FIRST, "m2", FIRST, FIRST, "  ", ""]
    assert mask.count == 2


def test_a_secret_of_any_shape_is_hidden_leaf_by_leaf(mask: Mask) -> None:
    given = {"passwrod": [{"a": SECRET, "b": [True, None]}, 17.5], "email": "ada@example.com"}
    shown = written(mask, given)["body"]
    assert json.loads(shown) == {
        "passwrod": [{"a": FIRST, "b": [True, None]}, 900_000_002],
        "email": "ada@example.com",
    }


@cases(
    "key, shown",
    ("sk_live_somebody-else", "sk_live_masked-00001"),
    ("pk_live_tests", "pk_live_masked-00001"),
    ("sk_live_mine", "sk_live_mine"),
    ("sk_live_undeclared", "sk_live_undeclared"),
    ("sk_test_somebody-else", "sk_test_somebody-else"),
)
def test_only_keys_that_follow_from_no_name_are_hidden(
    key: str, shown: str, mask: Mask, world: World
) -> None:
    world.create(name="mine", livemode=True)
    assert shown_header(mask, authorization=f"Bearer {key}") == f"Bearer {shown}"


def test_a_password_that_is_the_name_of_a_key_is_hidden(mask: Mask, world: World) -> None:
    world.create(name="live-shop", livemode=True)
    assert bring(mask, "live-shop", "undeclared") == [FIRST, "masked-00002"]


def test_what_a_server_made_is_shown_even_when_used_up(mask: Mask, project: Project) -> None:
    session = open_session(project, create_user(project, name="Ada", email="ada@example.com"))
    shown = f"Bearer {session.token}"
    assert shown_header(mask, authorization=shown) == shown
    project.identity.sessions.remove(session.id)
    assert shown_header(mask, authorization=shown) == shown
    assert shown_header(mask, authorization=f"Bearer {session.token}x") == f"Bearer {FIRST}"


def test_an_access_token_that_a_server_issued_is_shown(mask: Mask, project: Project) -> None:
    user = create_user(project, name="Ada", email="ada@example.com")
    token = issue(project, user, open_session(project, user))
    assert shown_header(mask, authorization=f"Bearer {token}") == f"Bearer {token}"
    forged = token.rpartition(".")[0] + "." + "A" * 86
    assert shown_header(mask, authorization=f"Bearer {forged}").endswith(".unrepeatable-0000001")


@cases("kind", *get_args(VerificationKind))
def test_a_code_or_a_link_that_a_server_issued_is_shown(
    kind: VerificationKind, mask: Mask, project: Project
) -> None:
    issued = Verification("ver_1", kind, "ada@example.com", "issued-by-the-server", 0, 1)
    project.identity.verifications.insert(issued)
    assert bring(mask, "issued-by-the-server", "issued-by-another") == ["issued-by-the-server", FIRST]
    project.identity.verifications.remove("ver_1")
    assert bring(mask, "issued-by-the-server") == ["issued-by-the-server"]


def test_a_project_that_is_put_away_is_not_looked_into(mask: Mask, world: World) -> None:
    away = world.create(name="away")
    token = open_session(away, create_user(away, name="Ada", email="ada@example.com")).token
    away.undo.mark()
    away.put_away()
    assert shown_header(mask, authorization=f"Bearer {token}") == f"Bearer {FIRST}"


# --- signatures of requests -----------------------------------------------------------------------------


def signature(project: Project, **more: object) -> str:
    """A token that signs a request, with further claims."""
    secret = p256.read_pkcs8(default_secret(project))
    return sign_es256(secret, {"uris": ["POST /v2/x"], "iat": 1, "reqHash": "ab"} | more)


def test_a_signature_is_shown_if_all_that_it_signs_is(mask: Mask, project: Project) -> None:
    token = sign_request(default_secret(project), "POST", SIGN_UP, b"", 1)
    assert shown_header(mask, x_wallet_auth=token) == token
    assert shown_header(mask, {"name": "Ada"}, x_wallet_auth=token) == token
    hidden = shown_header(mask, {"password": SECRET}, x_wallet_auth=token)
    assert hidden.endswith(".unrepeatable-0000002")
    assert jwt.decode(hidden, options={"verify_signature": False})["reqHash"] == "masked"


@cases("more", {"sub": "ada"}, {"email": "ada@example.com", "jti": "1"})
def test_a_token_that_says_more_than_what_it_signs_is_hidden(
    more: dict[str, object], mask: Mask, project: Project
) -> None:
    shown = shown_header(mask, x_wallet_auth=signature(project, **more))
    assert shown.endswith(".unrepeatable-0000001")


@cases("more", {}, {"nbf": 1, "exp": 2, "jti": "1"})
def test_a_token_that_only_signs_is_shown(more: dict[str, object], mask: Mask, project: Project) -> None:
    token = signature(project, **more)
    assert shown_header(mask, x_wallet_auth=token) == token


def test_a_token_signing_no_request_is_hidden_with_its_secrets(mask: Mask, project: Project) -> None:
    secret = p256.read_pkcs8(default_secret(project))
    token = sign_es256(secret, {"iat": 1, "password": SECRET, "code": "a code of a provider"})
    shown = shown_header(mask, x_player_token=token)
    assert jwt.decode(shown, options={"verify_signature": False}) == {
        "iat": 1,
        "password": FIRST,
        "code": "masked-00002",
    }
    raw = to_line({"a": f"{token.rpartition('.')[2]} {SECRET}"})
    assert orjson.loads(to_line(mask.hide_line(orjson.loads(raw)))) == {"a": f"unrepeatable-0000003 {FIRST}"}


# --- where they are found -------------------------------------------------------------------------------


@cases(
    "secret, spelling",
    (SECRET, SECRET),
    (SECRET, SECRET.upper()),
    ("Correct-Horse", "correct-horse"),
    ("correct%20horse", "correct horse"),
    ("correct+horse", "correct horse"),
    ("bättery-staple", "bättery-staple"),
    ("bättery-staple", "bättery-staple".encode().decode("latin-1")),
    ("١٢٣٤٥٦٧٨", "١٢٣٤٥٦٧٨"),
    ("pass-1234", "pass-1234"),
    ("12345678", None),
    (SHORT, None),
    ("pässwör", None),
    ("contracts", None),
    ("CONTRACTS", None),
    ("application/json", None),
)
def test_a_secret_is_found_however_spelt_but_not_by_chance(
    secret: str, spelling: str | None, mask: Mask
) -> None:
    (placeholder,) = bring(mask, secret)
    line = {"n": 1, "request": {"path": f"/v1/contracts?<{spelling or secret}>"}}
    shown = placeholder if spelling else secret
    assert mask.hide_line(line) == {"n": 1, "request": {"path": f"/v1/contracts?<{shown}>"}}
    assert mask.has_secret(to_line(line)) is (spelling is not None)


def test_an_unread_body_is_hidden_whole_with_what_it_names(mask: Mask) -> None:
    body = f"no JSON, but password: {SECRET}; and some more text"
    given = Request("POST", SIGN_UP, "", {}, body.encode(), raw_headers=[])
    shown = "unrepeatable-0000002".ljust(len(body), ".")
    assert mask.hide_request(given).body == shown.encode()
    assert mask.hide_line({"a": f"<{body}>"}) == {"a": f"<{shown}>"}
    assert mask.hide_line({"a": SECRET}) == {"a": FIRST}
    cut = body.replace(SECRET, "")[:40]
    assert mask.hide_line({"a": cut}) == {"a": cut}
    beginning = "a long body without any name of a secret, of which the beginning may be anywhere"
    mask.hide_request(Request("POST", SIGN_UP, "", {}, beginning.encode(), raw_headers=[]))
    assert mask.hide_line({"a": beginning[:60]}) == {"a": beginning[:60]}
    assert mask.hide_line({"a": beginning}) == {"a": "unrepeatable-0000003".ljust(len(beginning), ".")}


@cases(
    "body, is_shown",
    (f'{{"secret": "{SECRET}",, "x": 1}}', False),
    ('{"seconds": 5,, "x": 1}', True),
)
def test_wrong_json_with_a_secret_is_hidden_whole(mask: Mask, body: str, is_shown: bool) -> None:
    # The answer says in which column it is wrong, and a placeholder may be shorter than a secret.
    given = Request("PUT", "/_mock/projects/-/settings", "", {}, body.encode(), raw_headers=[])
    shown = mask.hide_request(given).body
    assert (shown == body.encode()) is is_shown
    assert shown.startswith(b"unrepeatable-") is not is_shown


def test_a_body_with_thousands_of_secrets_is_hidden_whole(mask: Mask) -> None:
    body = {"a": [{"password": f"password-{number:04}"} for number in range(4_000)]}
    assert written(mask, body)["body"].startswith("unrepeatable-")
    assert mask.count == MOST_HIDDEN + 1


def test_a_long_answer_is_withheld_and_a_long_row_is_not(mask: Mask) -> None:
    bring(mask, SECRET)
    assert mask.hide_line({"n": 1, "answer": answer_with("x" * 200_000)}) == {"n": 1, "withheld": "answer"}
    row = {"row": ["onchain.contracts", 1, {"name": SECRET, "abi": ["x" * 100] * 2_000}]}
    shown = mask.hide_line(row)["row"][2]
    assert (shown["name"], len(shown["abi"])) == (FIRST, 2_000)


def test_a_secret_is_found_in_the_bytes_of_a_body_of_latin_1(mask: Mask) -> None:
    bring(mask, "bättery-staple")
    hidden = mask.hide_line({"base64": b64encode("<bättery-staple>".encode("latin-1")).decode()})
    assert hidden == {"base64": b64encode(f"<{FIRST}>".encode()).decode()}


def test_a_line_without_a_secret_is_the_same_one(mask: Mask) -> None:
    bring(mask, SECRET)
    line = {"n": 1}
    assert mask.hide_line(line) is line


def test_a_line_unshowable_without_its_secret_is_withheld(mask: Mask) -> None:
    mask.hide_request(request(body={"password": "masked-0"}))
    line = {"n": 1, "answer": {"a": "masked-0"}}
    assert mask.hide_line(line) == {"n": 1, "withheld": "answer"}


def test_a_sink_is_given_lines_that_are_masked(mask: Mask) -> None:
    class Taken(list[dict[str, Any]]):
        def write(self, *lines: dict[str, Any]) -> None:
            self += lines

    bring(mask, SECRET)
    taken = Taken()
    MaskedSink(taken, mask).write({"a": SECRET})
    assert taken == [{"a": FIRST}]


# --- answers --------------------------------------------------------------------------------------------


@cases(
    "given, shown",
    ({"password": SHORT}, {"password": "m1"}),
    ([{"a": [{"password": SHORT}]}], [{"a": [{"password": "m1"}]}]),
    ({"privateKeys": [SHORT, 7, "other"]}, {"privateKeys": ["m1", 7, "other"]}),
    ({"note": SHORT}, {"note": SHORT}),
    ({"code": SHORT}, {"code": SHORT}),
    ({"password": {"message": SHORT}}, {"password": {"message": SHORT}}),
    ({"text": f"password: {SHORT}"}, {"text": "password: m1"}),
    ({"a": {"text": f"password: {SHORT}"}}, {"a": {"text": "password: m1"}}),
    ({"note": f"password: {SHORT}"}, {"note": f"password: {SHORT}"}),
    ({"fingerprint": "ab", "password_hash": "cd"}, {"fingerprint": "", "password_hash": "masked"}),
    ([{"fingerprint": "ab"}, {"fingerprint": 7}], [{"fingerprint": ""}, {"fingerprint": 7}]),
)
def test_a_short_secret_is_hidden_in_an_answer_naming_it(given: Any, shown: Any, mask: Mask) -> None:
    bring(mask, SHORT)
    assert json.loads(mask.hide_answer(answer_with(given))["body"]) == shown


@cases(
    "line",
    answer_with({"name": "Ada"}),
    answer_with(f"password: {SHORT}"),
    answer_with(f'{{"password": "{SHORT}"'),
    answer_with(f'"{SHORT}"'),
    {"status": 200, "headers": [], "body": {"base64": b64encode(b"{}").decode()}},
    {"status": 204, "headers": []},
)
def test_other_answers_are_recorded_as_they_are(line: dict[str, Any], mask: Mask) -> None:
    bring(mask, SHORT)
    assert mask.hide_answer(line) is line


def test_what_an_answer_gave_out_is_shown_where_it_comes_back(mask: Mask) -> None:
    mask.hide_answer(
        answer_with(
            {"token": "made-in-a-body"},
            ("set-auth-token", "made-in-a-header"),
            ("set-cookie", "id=made-in-a-cookie; Path=/"),
            ("x-note", "id=said-by-a-client; Path=/"),
        )
    )
    for made in ("made-in-a-body", "made-in-a-header", "made-in-a-cookie"):
        assert shown_header(mask, cookie=f"a={made}") == f"a={made}"
    assert shown_header(mask, cookie="a=said-by-a-client") == f"a={FIRST}"
    assert bring(mask, "made-in-a-body", "a password of its own") == ["made-in-a-body", "masked-00002"]


# --- rows -----------------------------------------------------------------------------------------------


def test_the_hash_of_a_password_becomes_that_of_its_placeholder(mask: Mask) -> None:
    hashes = [
        hash_password(password, bytes([salt]) * 16) for salt, password in enumerate((SECRET, "other one"))
    ]
    rows = [{"row": ["identity.linked_accounts", 3, {"id": "1", "password_hash": each}]} for each in hashes]
    shown = [mask.hide_row(row) for row in rows]
    assert [each["row"][:2] for each in shown] == [["identity.linked_accounts", 3]] * 2
    for each, placeholder in zip(shown, (FIRST, "masked-00002"), strict=True):
        assert verify_password(placeholder, each["row"][2]["password_hash"])
    assert bring(mask, "other one") == ["masked-00002"]
    assert mask.hide_row(rows[0]) == shown[0]


@cases(
    "row_id, fingerprint",
    ("CreateContract key", "abcd"),
    ("GetContracts key", "abcd"),
    ("unknown key", "abcd"),
    ("signUpEmail key", ""),
)
def test_a_secret_requests_fingerprint_is_left_out(row_id: str, fingerprint: str, mask: Mask) -> None:
    line = {"row": ["requests.answers", 1, {"id": row_id, "fingerprint": "abcd", "status": 200}]}
    shown = {"id": row_id, "fingerprint": fingerprint, "status": 200}
    assert mask.hide_row(line) == {"row": ["requests.answers", 1, shown]}


def test_other_lines_keep_state_and_texts_without_secrets(mask: Mask) -> None:
    bring(mask, SHORT)
    text = f"password: {SHORT}"
    assert mask.hide_row({"scenario": {"text": text}}) == {"scenario": {"text": "password: m1"}}
    assert mask.hide_row({"state": {"text": text}}) == {"state": {"text": text}}


def test_the_bytes_of_which_a_digest_is_taken_have_no_secret(mask: Mask) -> None:
    bring(mask, SECRET, SHORT)
    row = {"b": SECRET, "password": SHORT}
    hidden = {"b": FIRST, "password": "m2"}
    assert [*mask.to_bytes([row, {"row": ["t", 1, row]}])] == [
        orjson.dumps(hidden),
        orjson.dumps({"row": ["t", 1, hidden]}),
    ]


# --- private keys ---------------------------------------------------------------------------------------


def spellings(key: Key) -> list[str]:
    """How the private key of a row may be written."""
    pair = base58_encode(key.secret + ed25519.public_key(key.secret))
    return [
        key.secret.hex(),
        key.secret.hex().upper(),
        base58_encode(key.secret),
        b64encode(key.secret).decode(),
        *([pair] if key.chain_type == "SVM" else []),
    ]


def finds(mask: Mask, key: Key) -> list[bool]:
    """Whether each spelling of a key is a secret."""
    return [mask.has_secret(to_line({"a": text})) for text in spellings(key)]


@cases("table", "keys", "announced_keys")
@cases("key", EVM_KEY, SVM_KEY, ids=["EVM", "SVM"])
def test_a_private_key_is_hidden_however_it_is_written(
    table: str, key: Key, mask: Mask, project: Project
) -> None:
    getattr(project.wallets, table).insert(key)
    mask.learn_keys({project: {f"wallets.{table}/{key.id}": "ab"}})
    assert all(finds(mask, key))


@cases(
    "row, name",
    (EVM_KEY._replace(imported=False), "wallets.keys/0xabc"),
    (EVM_KEY._replace(secret=b"unrepeatable-" + b"0" * 19), "wallets.keys/0xabc"),
    (EVM_KEY, "wallets.announced_keys/0xabc"),
    (EVM_KEY, "wallets.keys/0xdef"),
    (EVM_KEY, "identity.users/0xabc"),
)
def test_other_rows_bring_no_private_key(row: Key, name: str, mask: Mask, project: Project) -> None:
    project.wallets.keys.insert(row)
    mask.learn_keys({project: {name: "ab"}})
    assert not any(finds(mask, row))


# --- replays --------------------------------------------------------------------------------------------


def test_a_masked_recordings_replay_looks_for_nothing(app: App, project: Project) -> None:
    mask = Mask(app.pipeline, is_replay=True)
    project.wallets.keys.insert(EVM_KEY)
    given = request(body={"password": SECRET})
    assert mask.hide_request(given) is given
    mask.learn_keys({project: {"wallets.keys/0xabc": "ab"}})
    mask.learn_project(project, ["sk_live_somebody-else"])
    assert mask.count == 0
    assert not any(finds(mask, EVM_KEY))
