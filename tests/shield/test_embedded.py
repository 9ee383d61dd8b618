"""The embedded wallet: what its frame asks for, and what it says of what is wrong."""

from typing import Any

import pyshamir
import pytest
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from httpx import Client, Response
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.signature import Signature

from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.account_changes.removal import merge_guest
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.operations.responses import error_of
from tests.replay.runs import play
from tests.shield.test_shares import DEVELOPER, PART, pregenerate, preregister, signed_in
from tests.tables import cases

EOA = {"accountType": "Externally Owned Account", "chainType": "EVM"}
PASSWORD = {"password": "correct horse"}
PASSKEY = {"passkeyKey": "8Zr0", "passkeyId": "kBxJ"}
KEY = "0x" + "11" * 32
SOLANA_KEY = str(Keypair.from_seed(b"\x11" * 32))


@pytest.fixture
def ada(project: Project) -> dict[str, str]:
    """What a user sends who is signed in."""
    user = create_user(project, name="Ada", email="ada@example.com")
    return signed_in(project, user.id)


@pytest.fixture
def wallet(frame: Client, ada: dict[str, str]) -> Client:
    """What the frame calls for a user who is signed in."""
    frame.headers.update(ada)
    return frame


def ask(wallet: Client, path: str, **body: Any) -> Any:
    answer = wallet.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def session_of(wallet: Client, project: Project, part: str = "part") -> str:
    """An encryption session, as the developer's server creates it."""
    path = f"http://test/_mock/projects/{project.id}/shield/project/encryption-session"
    return str(wallet.post(path, headers=DEVELOPER, json={"encryption_part": part}).json()["session_id"])


def code_of(answer: Response) -> tuple[int, str]:
    return error_of(answer)[:2]


def test_the_frame_is_a_page_for_any_site(frame: Client) -> None:
    page = frame.get(str(frame.base_url).rstrip("/"))
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "frame-ancestors *" in page.headers["content-security-policy"]
    assert b"Penpal.connect" in page.content
    assert b"penpal.min.js */" not in page.content


def test_an_account_signs_with_the_key_that_it_exports(wallet: Client, api: Client) -> None:
    made = ask(wallet, "/create", **EOA, **PASSWORD)
    key = ask(wallet, "/export", account=made["account"])["key"]
    assert EthAccount.from_key(key).address == made["address"]
    signed = ask(wallet, "/sign", account=made["account"], message="hello", isPersonalMessage=True)
    by = EthAccount.recover_message(encode_defunct(text="hello"), signature=signed["signature"])
    assert by == made["address"]
    digest = {"message": "0x" + "ab" * 32, "isHex": True}
    signed = ask(wallet, "/sign", account=made["account"], **digest)
    assert EthAccount._recover_hash(digest["message"], signature=signed["signature"]) == made["address"]
    shown = api.get(f"/v2/accounts/{made['account']}").json()
    assert (shown["recoveryMethod"], shown["custody"]) == ("password", "User")


def test_a_solana_account_signs_bytes_as_they_are(wallet: Client) -> None:
    made = ask(wallet, "/create", accountType=EOA["accountType"], chainType="SVM", **PASSWORD)
    signed = ask(wallet, "/sign", account=made["account"], message="hello")["signature"]
    assert Signature.from_string(signed).verify(Pubkey.from_string(made["address"]), b"hello")
    key = ask(wallet, "/export", account=made["account"])["key"]
    assert Keypair.from_base58_string(key).pubkey() == Pubkey.from_string(made["address"])


def test_the_owner_of_a_contract_is_no_account(wallet: Client, api: Client) -> None:
    smart = ask(wallet, "/create", accountType="Smart Account", chainType="EVM", chainId=84532, **PASSWORD)
    delegated = ask(wallet, "/create", accountType="Delegated Account", chainType="EVM", **PASSWORD)
    listed = api.get("/v2/accounts").json()["data"]
    assert [row["id"] for row in listed] == [delegated["account"], smart["account"]]
    assert smart["ownerAddress"] != smart["address"]
    assert delegated["ownerAddress"] == delegated["address"]
    elsewhere = ask(wallet, "/switch-chain", account=smart["account"], chainId=80002)
    assert (elsewhere["address"], elsewhere["account"] != smart["account"]) == (smart["address"], True)
    signed = ask(wallet, "/sign", account=elsewhere["account"], message="hi", isPersonalMessage=True)
    by = EthAccount.recover_message(encode_defunct(text="hi"), signature=signed["signature"])
    assert by == smart["ownerAddress"]


def test_a_wallet_that_belongs_to_another_there_is_unknown(wallet: Client, project: Project) -> None:
    wanted = {"accountType": "Smart Account", "chainType": "EVM", "chainId": 84532}
    account = ask(wallet, "/create", **wanted, **PASSWORD)["account"]
    elsewhere = ask(wallet, "/switch-chain", account=account, chainId=80002)["account"]
    other = create_wallet(project, create_user(project, name="Eve", email="eve@example.com").id)
    project.wallets.accounts.replace(project.wallets.accounts[elsewhere]._replace(wallet_id=other.id))
    refused = wallet.post("/switch-chain", json={"account": account, "chainId": 80002})
    assert code_of(refused) == (404, "account_not_found")
    solana = ask(wallet, "/create", accountType=EOA["accountType"], chainType="SVM", **PASSWORD)["account"]
    fixed = wallet.post("/switch-chain", json={"account": solana, "chainId": 80002})
    assert error_of(fixed) == (400, "chain_not_switchable", "account")


def test_a_key_is_imported_once(wallet: Client) -> None:
    made = ask(wallet, "/import", **EOA, privateKey=KEY, **PASSWORD)
    assert made["address"] == EthAccount.from_key(KEY).address
    assert ask(wallet, "/export", account=made["account"]) == {"key": KEY}
    taken = wallet.post("/import", json={**EOA, "privateKey": KEY, **PASSWORD})
    assert error_of(taken) == (409, "address_taken", "privateKey")


@cases(
    "change, named",
    ({"privateKey": "0x12"}, "privateKey"),
    ({"chainType": "SVM"}, "privateKey"),
    ({"accountType": "Smart Account", "chainType": "SVM", "privateKey": SOLANA_KEY}, "chainType"),
    ({"chainId": 1}, "chainId"),
    ({"accountType": "Wallet"}, "accountType"),
)
def test_what_is_wrong_with_an_import_is_named(
    wallet: Client, project: Project, change: Any, named: str
) -> None:
    answer = wallet.post("/import", json={**EOA, "privateKey": KEY, **PASSWORD, **change})
    assert error_of(answer)[::2] == (400, named)
    assert KEY not in answer.text
    assert (len(project.wallets.accounts), len(project.wallets.keys)) == (0, 0)


@cases(
    "given, missing, wrong",
    (PASSWORD, "missing_user_entropy", {"password": "wrong"}),
    (PASSKEY, "missing_passkey", {"passkeyKey": "AAAA"}),
    ({"session": "part"}, "missing_project_entropy", {"session": "another"}),
)
def test_a_key_is_recovered_by_what_it_was_created_with(
    wallet: Client, project: Project, given: Any, missing: str, wrong: Any
) -> None:
    given, wrong = (
        {"encryptionSession": session_of(wallet, project, each["session"])} if "session" in each else each
        for each in (given, wrong)
    )
    account = ask(wallet, "/create", **EOA, **given)["account"]
    assert code_of(wallet.post("/recover", json={"account": account})) == (400, missing)
    status, code = code_of(wallet.post("/recover", json={"account": account, **wrong}))
    assert (status, code) == (400, missing.replace("missing", "incorrect"))
    assert ask(wallet, "/recover", account=account, **given)["account"] == account


def test_an_unknown_encryption_session_is_refused(wallet: Client) -> None:
    answer = wallet.post("/create", json={**EOA, "encryptionSession": "unknown"})
    assert code_of(answer) == (400, "ec_invalid")


def test_a_key_is_created_with_what_recovers_it(wallet: Client, api: Client) -> None:
    assert code_of(wallet.post("/create", json=EOA)) == (400, "missing_project_entropy")
    assert api.get("/v2/accounts").json()["total"] == 0


def test_the_recovery_method_changes_with_the_old_one(wallet: Client, api: Client) -> None:
    account = ask(wallet, "/create", **EOA, **PASSWORD)["account"]
    change = {"account": account, "recoveryMethod": "passkey", **PASSKEY}
    assert code_of(wallet.post("/recovery-method", json=change)) == (400, "missing_user_entropy")
    ask(wallet, "/recovery-method", **change, **PASSWORD)
    shown = api.get(f"/v2/accounts/{account}").json()
    assert shown["recoveryMethod"] == "passkey"
    assert shown["recoveryMethodDetails"]["passkeyId"] == PASSKEY["passkeyId"]
    assert code_of(wallet.post("/recover", json={"account": account, **PASSWORD}))[1] == "missing_passkey"
    ask(wallet, "/recover", account=account, **PASSKEY)


def test_the_share_of_an_embedded_wallet_is_of_its_key(
    wallet: Client, shield: Client, api: Client, ada: dict[str, str]
) -> None:
    account = ask(wallet, "/create", **EOA, **PASSWORD)["account"]
    kept = shield.get("/shares", headers=ada).json()
    assert kept["entropy"] == "user"
    primary = api.post(f"/v2/accounts/{account}/export-share").json()["share"]
    key = pyshamir.combine([bytearray.fromhex(share) for share in (kept["secret"], primary)])
    assert ask(wallet, "/export", account=account)["key"] == f"0x{bytes(key).hex()}"


def test_pregenerated_users_recover_what_was_stored(
    api: Client, frame: Client, shield: Client, project: Project
) -> None:
    made = pregenerate(api)
    preregister(shield, made)
    frame.headers.update(signed_in(project, made["user"]))
    account = made["accounts"][0]["id"]
    empty = frame.post("/recover", json={"account": account, "encryptionSession": ""})
    assert code_of(empty) == (400, "missing_project_entropy")
    session = session_of(frame, project, PART["x-encryption-part"])
    assert ask(frame, "/recover", account=account, encryptionSession=session)["account"] == account


def test_what_a_developer_encrypted_takes_any_password(
    api: Client, frame: Client, shield: Client, project: Project
) -> None:
    made = pregenerate(api)
    preregister(shield, made, entropy="user", salt="s", digest="SHA-256")
    frame.headers.update(signed_in(project, made["user"]))
    account = made["accounts"][0]["id"]
    assert code_of(frame.post("/recover", json={"account": account})) == (400, "missing_user_entropy")
    assert ask(frame, "/recover", account=account, **PASSWORD)["account"] == account


def test_an_account_without_a_share_is_recovered_by_anything(
    api: Client, frame: Client, project: Project
) -> None:
    made = pregenerate(api)
    frame.headers.update(signed_in(project, made["user"]))
    account = made["accounts"][0]["id"]
    assert ask(frame, "/recover", account=account)["account"] == account


@cases("begins_later", False, True)
def test_a_masked_recording_replays_short_secrets(
    wallet: Client, app: App, project: Project, begins_later: bool
) -> None:
    if not begins_later:
        app.recordings.start(masked=True)
    by_session = ask(wallet, "/create", **EOA, encryptionSession=session_of(wallet, project))["account"]
    by_password = ask(wallet, "/create", **EOA, password="pw")["account"]
    if begins_later:
        app.recordings.start(masked=True)
    session = session_of(wallet, project)
    assert ask(wallet, "/recover", account=by_session, encryptionSession=session)["account"] == by_session
    wrong = wallet.post("/recover", json={"account": by_password, "password": "px"})
    assert code_of(wrong) == (400, "incorrect_user_entropy")
    assert ask(wallet, "/recover", account=by_password, password="pw")["account"] == by_password
    app.recordings.stop()
    raw = app.recordings.read()
    assert b'"pw"' not in raw
    assert play(raw)[1] == []


@cases("path", "/recover", "/sign", "/export", "/switch-chain", "/recovery-method")
def test_an_account_of_another_user_is_unknown(wallet: Client, project: Project, path: str) -> None:
    account = ask(wallet, "/create", **EOA, **PASSWORD)["account"]
    other = create_user(project, name="Eve", email="eve@example.com")
    wallet.headers.update(signed_in(project, other.id))
    body = {"account": account, "message": "x", "chainId": 84532, "recoveryMethod": "password", **PASSWORD}
    assert code_of(wallet.post(path, json=body)) == (404, "account_not_found")


@cases(
    "body, named",
    ({"message": "0xabc", "isHex": True}, "message"),
    ({"message": "0xab", "isHex": True}, "message"),
    ({}, "message"),
)
def test_what_cannot_be_signed_is_named(wallet: Client, body: Any, named: str) -> None:
    account = ask(wallet, "/create", **EOA, **PASSWORD)["account"]
    answer = wallet.post("/sign", json={"account": account, **body})
    assert error_of(answer)[::2] == (400, named)


@cases("header", "authorization", "x-auth-provider", "x-api-key")
def test_a_user_has_to_be_signed_in(wallet: Client, header: str) -> None:
    del wallet.headers[header]
    answer = wallet.post("/create", json={**EOA, **PASSWORD})
    assert (answer.status_code, header in answer.text) == (401, True)


def test_a_user_of_the_developers_own_is_refused(wallet: Client) -> None:
    answer = wallet.post("/create", headers={"x-auth-provider": "custom"}, json={**EOA, **PASSWORD})
    assert (answer.status_code, "x-auth-provider" in answer.text) == (401, True)


def test_no_secret_of_an_embedded_wallet_is_in_a_journal(wallet: Client, api: Client) -> None:
    made = ask(wallet, "/import", **EOA, privateKey=KEY, **PASSWORD)
    ask(wallet, "/export", account=made["account"])
    journal = api.get("/_mock/projects/-/journal").text
    assert "ImportEmbeddedWallet" in journal
    assert KEY not in journal
    assert PASSWORD["password"] not in journal


def test_a_guest_who_signs_up_keeps_what_recovers_the_key(frame: Client, project: Project) -> None:
    guest = create_user(project, name="", email=None, is_anonymous=True)
    frame.headers.update(signed_in(project, guest.id))
    account = ask(frame, "/create", **EOA, **PASSWORD)["account"]
    ada = create_user(project, name="Ada", email="ada@example.com")
    merge_guest(project, guest, ada)
    frame.headers.update(signed_in(project, ada.id))
    wrong = frame.post("/recover", json={"account": account, "password": "wrong"})
    assert code_of(wrong) == (400, "incorrect_user_entropy")
    assert ask(frame, "/recover", account=account, **PASSWORD)["account"] == account


def test_the_shares_of_a_user_go_with_them(wallet: Client, api: Client, project: Project) -> None:
    ask(wallet, "/create", **EOA, **PASSWORD)
    (user,) = project.identity.users
    assert api.delete(f"/v2/users/{user.id}").status_code == 200
    assert len(project.wallets.shares) == 0
