"""Transactions through the API: hashes, signatures and logs checked by other libraries."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx
import pytest
from eth_abi import encode
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct, encode_typed_data
from eth_account.typed_transactions import TypedTransaction
from eth_utils import keccak

from mockserver.api.call import Request
from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains import ledger
from mockserver.domain.identity.users import create_user, user_of_email
from mockserver.domain.sponsorship.paymasters import paymaster_address
from mockserver.domain.transactions import solana_transactions
from mockserver.domain.transactions.fates import add_fate
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.custody import key_of
from mockserver.domain.wallets.wallets import create_wallet, wallet_of_user
from mockserver.server.app import App
from mockserver.server.assembly import assemble
from mockserver.server.pipeline import Pending
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from mockserver.state.world import EPOCH_MS, World

AMOY, BASE = 80002, 84532
THERE = "0x" + "11" * 20
HALF = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
EXPANSIONS = ["account", "feeSponsorship", "timeline", "userOperation", "logs"]
KINDS = [
    ("UpgradeableV6", AMOY),
    ("Simple", AMOY),
    ("Calibur", BASE),
    ("CaliburV9", AMOY),
    ("CaliburV9", BASE),
]


def account_of(
    project: Project, kind: str = "plain", chain: int = AMOY, held_by: Custody = "Developer"
) -> Account:
    """An account: `plain`, or the name of an implementation."""
    owner = create_eoa(project, create_wallet(project), "EVM", held_by=held_by)
    if kind == "plain":
        project.undo.mark()
        return owner
    account = create_contract_account(project, owner, chain, IMPLEMENTATIONS[kind])  # type: ignore[index]
    project.undo.mark()
    return account


def create(api: httpx.Client, account: Account, chain: int = AMOY, **members: Any) -> Any:
    """A new transaction; it moves a thousand wei unless told otherwise."""
    body = {"chainId": chain, "accountId": account.id, "calls": [{"to": THERE, "value": "1000"}], **members}
    response = api.post("/v2/transactions", json=body)
    assert response.status_code == 200, response.text
    return response.json()


def whole(api: httpx.Client, row: Any) -> Any:
    """A transaction with everything expanded."""
    response = api.get(f"/v2/transactions/{row['id']}", params={"expand": EXPANSIONS})
    assert response.status_code == 200, response.text
    return response.json()


def signature_of(project: Project, account: Account, row: Any, *, eip191: bool = False) -> str:
    key = key_of(project, account)
    assert key is not None
    return signature_with(key.secret, row, eip191=eip191)


def signature_with(secret: bytes, row: Any, *, eip191: bool = False) -> str:
    digest = bytes.fromhex(row["nextAction"]["hash"][2:])
    signer = EthAccount.from_key(secret)
    signed = signer.sign_message(encode_defunct(digest)) if eip191 else signer.unsafe_sign_hash(digest)
    return "0x" + bytes(signed.signature).hex()


def submit(api: httpx.Client, row: Any, signature: str, **members: Any) -> httpx.Response:
    return api.post(f"/v2/transactions/{row['id']}/signature", json={"signature": signature, **members})


def events(row: Any) -> list[str]:
    return [event["event"] for event in row["timeline"]]


# --- externally owned accounts -------------------------------------------------------------------------


def test_a_transaction_of_a_plain_account_is_the_one_that_eth_account_signs(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project, held_by="User")
    row = create(api, account, calls=[{"to": THERE, "value": "5", "data": "0x0102", "dataSuffix": "0x03"}])
    assert row["status"] == "awaiting_signature"
    sent = row["execution"]
    fields = {
        "type": 2,
        "chainId": AMOY,
        "nonce": sent["nonce"],
        "maxFeePerGas": int(sent["maxFeePerGas"]),
        "maxPriorityFeePerGas": int(sent["maxPriorityFeePerGas"]),
        "gas": int(sent["gas"]),
        "to": sent["to"],
        "value": int(sent["value"]),
        "data": sent["data"],
        "accessList": [],
    }
    assert sent["data"] == "0x010203"
    assert TypedTransaction.from_dict(fields).hash().hex() == row["nextAction"]["hash"][2:]
    key = key_of(project, account)
    assert key is not None
    signed = EthAccount.from_key(key.secret).sign_transaction(fields)
    assert EthAccount.recover_transaction(signed.raw_transaction) == account.address == sent["from"]
    done = submit(api, row, signature_of(project, account, row)).json()
    assert done["status"] == "successful"
    assert "nextAction" not in done
    hashed = "0x" + bytes(signed.hash).hex()
    assert done["execution"]["transactionHash"] == done["receipt"]["transactionHash"] == hashed


def test_an_account_in_the_mocks_custody_answers_with_its_receipt(
    api: httpx.Client, project: Project
) -> None:
    account = account_of(project)
    row = create(api, account)
    assert row["object"] == "transaction"
    assert row["status"] == "successful"
    assert row["updatedAt"] == row["createdAt"] + 2
    receipt = row["receipt"]
    assert receipt["gasUsed"] == "21000"
    assert receipt["gasFee"] == str(21000 * 1_100_000_000)
    assert "l1GasUsed" not in receipt
    assert receipt["to"] == THERE
    assert row["costUsd"] == "0.05775"
    assert row["walletId"] == account.wallet_id
    for absent in ("timeline", "account", "feeSponsorship", "feeSponsorshipId", "nextAction"):
        assert absent not in row
    assert "logs" not in receipt
    shown = whole(api, row)
    assert events(shown) == ["new", "sent", "successful"]
    assert shown["account"]["id"] == account.id
    assert shown["receipt"]["logs"] == []
    assert "feeSponsorship" not in shown


def test_nonces_follow_each_other_and_balances_go_down(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    rows = [create(api, account, BASE) for _ in range(3)]
    assert [row["execution"]["nonce"] for row in rows] == [0, 1, 2]
    spent = sum(1000 + int(row["receipt"]["gasFee"]) + int(row["receipt"]["l1GasFee"]) for row in rows)
    assert ledger.chain_account(project, BASE, account.address).balance == 10**18 - spent
    assert ledger.chain_account(project, BASE, THERE).balance == 3000
    numbers = [row["receipt"]["blockNumber"] for row in rows]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]


# --- user operations -----------------------------------------------------------------------------------


def number(text: str) -> int:
    return int(text, 16)


def raw(text: str) -> bytes:
    return bytes.fromhex(text[2:])


def operation_hash(op: dict[str, str], entry_point: str, chain: int, delegate: str) -> bytes:
    """The hash of a user operation as the entry points compute it, with eth_abi and eth_account."""
    if entry_point.startswith("0x5FF1"):
        head = [op["sender"], number(op["nonce"]), keccak(raw(op["initCode"])), keccak(raw(op["callData"]))]
        names = ("callGasLimit", "verificationGasLimit", "preVerificationGas", "maxFeePerGas")
        gas = [number(op[name]) for name in (*names, "maxPriorityFeePerGas")]
        types = ["address", "uint256", "bytes32", "bytes32", *["uint256"] * 5, "bytes32"]
        inner = keccak(encode(types, [*head, *gas, keccak(raw(op["paymasterAndData"]))]))
        return keccak(encode(["bytes32", "address", "uint256"], [inner, entry_point, chain]))
    init_code = b""
    if op.get("factory") == "0x7702":
        init_code = raw(delegate) + raw(op["factoryData"])
    elif "factory" in op:
        init_code = raw(op["factory"]) + raw(op["factoryData"])
    pay = b""
    if "paymaster" in op:
        limits = [op["paymasterVerificationGasLimit"], op["paymasterPostOpGasLimit"]]
        pay = raw(op["paymaster"]) + b"".join(number(x).to_bytes(16, "big") for x in limits)
        pay += raw(op["paymasterData"])
    packed = {
        "sender": op["sender"],
        "nonce": number(op["nonce"]),
        "initCode": init_code,
        "callData": raw(op["callData"]),
        "accountGasLimits": number(op["verificationGasLimit"]).to_bytes(16, "big")
        + number(op["callGasLimit"]).to_bytes(16, "big"),
        "preVerificationGas": number(op["preVerificationGas"]),
        "gasFees": number(op["maxPriorityFeePerGas"]).to_bytes(16, "big")
        + number(op["maxFeePerGas"]).to_bytes(16, "big"),
        "paymasterAndData": pay,
    }
    if entry_point.startswith("0x0000"):
        dynamic = ("initCode", "callData", "paymasterAndData")
        values = [keccak(value) if name in dynamic else value for name, value in packed.items()]  # type: ignore[arg-type]
        types = ["address", "uint256", *["bytes32"] * 3, "uint256", "bytes32", "bytes32"]
        inner = keccak(encode(types, values))
        return keccak(encode(["bytes32", "address", "uint256"], [inner, entry_point, chain]))
    domain = {"name": "ERC4337", "version": "1", "chainId": chain, "verifyingContract": entry_point}
    kinds = ["address", "uint256", "bytes", "bytes", "bytes32", "uint256", "bytes32", "bytes"]
    fields = [{"name": name, "type": kind} for name, kind in zip(packed, kinds, strict=True)]
    typed = encode_typed_data(domain, {"PackedUserOperation": fields}, packed)
    return keccak(b"\x19" + typed.version + typed.header + typed.body)


@pytest.mark.parametrize(("kind", "chain"), KINDS)
@pytest.mark.parametrize("eip191", [False, True])
def test_a_user_operation_is_hashed_as_its_entry_point_does(
    api: httpx.Client, project: Project, kind: str, chain: int, eip191: bool
) -> None:
    account = account_of(project, kind, chain, "User")
    assert account.smart_account is not None
    for turn in range(2):
        row = create(api, account, chain, calls=[{"to": THERE, "value": "7"}, {"to": THERE, "data": "0xff"}])
        shown = whole(api, row)["execution"]
        hashed = operation_hash(
            shown["userOperation"], shown["entryPoint"], chain, account.smart_account.implementation_address
        )
        assert shown["userOperationHash"] == row["nextAction"]["hash"] == "0x" + hashed.hex()
        assert "userOperation" not in row["execution"]
        assert shown["userOperation"]["signature"] == "0x"
        assert number(shown["userOperation"]["nonce"]) == turn
        creates = shown["userOperation"].get("initCode", "0x") != "0x" or "factory" in shown["userOperation"]
        assert creates == (turn == 0)
        signature = signature_of(project, account, row, eip191=eip191)
        done = submit(api, row, signature).json()
        assert done["status"] == "successful"
        assert done["receipt"]["to"] == shown["entryPoint"]
        price = int(done["receipt"]["gasFee"]) / int(done["receipt"]["gasUsed"])
        assert number(shown["userOperation"]["maxFeePerGas"]) > price
        done = whole(api, done)
        assert done["execution"]["userOperation"]["signature"] == signature
        assert done["execution"]["userOperationHash"] == shown["userOperationHash"]
        assert events(done) == ["awaiting_signature", "sent", "indexed", "confirmed", "successful"]


def test_the_logs_of_a_user_operation_stand_in_its_block(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "Simple")
    call = {"to": THERE, "functionName": "transfer(address,uint256)", "functionArgs": [account.id, "9"]}
    shown = whole(api, create(api, account, calls=[call]))
    logs = shown["receipt"]["logs"]
    assert [log["logIndex"] for log in logs] == [0, 1, 2, 3]
    for log in logs:
        assert log["blockNumber"] == shown["receipt"]["blockNumber"]
        assert log["transactionHash"] == shown["receipt"]["transactionHash"]
        assert (log["removed"], log["transactionIndex"], len(log["blockHash"])) == (False, 0, 66)
    transfer = logs[2]
    sender = "0x" + "00" * 12 + account.address[2:].lower()
    assert transfer["topics"] == [
        "0x" + keccak(text="Transfer(address,address,uint256)").hex(),
        sender,
        sender,
    ]
    event = "UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)"
    assert logs[3]["topics"][:2] == ["0x" + keccak(text=event).hex(), shown["execution"]["userOperationHash"]]
    assert shown["calls"][0]["functionArgs"] == [account.address, "9"]


def test_the_logs_of_a_block_are_numbered_through(api: httpx.Client, project: Project) -> None:
    rows = [create(api, account_of(project, "Simple"), waitForReceipt=False) for _ in range(2)]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 2})
    logs = [log for row in rows for log in whole(api, row)["receipt"]["logs"]]
    assert len({log["blockHash"] for log in logs}) == 1
    assert [log["logIndex"] for log in logs] == list(range(6))
    assert [log["transactionIndex"] for log in logs] == [0, 0, 0, 1, 1, 1]


def test_the_account_shows_that_it_was_deployed(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "Simple")
    row = create(api, account)
    smart = api.get(f"/v2/accounts/{account.id}").json()["smartAccount"]
    assert smart["deployedTx"] == row["receipt"]["transactionHash"]
    assert smart["deployedAt"] == row["receipt"]["createdAt"]


# --- signatures ----------------------------------------------------------------------------------------


def high_s(signature: str) -> str:
    r, s, v = signature[2:66], int(signature[66:130], 16), int(signature[130:], 16)
    assert s <= HALF
    return f"0x{r}{ORDER - s:064x}{v ^ 1 ^ 54 if v > 1 else v ^ 1:02x}"


@pytest.mark.parametrize("kind", ["plain", "Simple"])
def test_a_signature_that_is_not_the_owners_is_a_conflict(
    api: httpx.Client, project: Project, kind: str
) -> None:
    account = account_of(project, kind, held_by="User")
    row = create(api, account)
    good = signature_of(project, account, row)
    another = signature_with(keccak(b"another"), row)
    flipped = good[:-2] + ("1b" if good.endswith("1c") else "1c")
    bad = [another, high_s(good), flipped, "0x" + "00" * 65, "0x" + "ff" * 65, good[:-2] + "05"]
    if kind == "plain":
        bad.append(signature_of(project, account, row, eip191=True))
    for signature in bad:
        response = submit(api, row, signature)
        assert response.status_code == 409, signature
        assert response.json()["error"]["code"] == "invalid_signature"
        assert response.json()["error"]["param"] == "signature"
    assert whole(api, row)["status"] == "awaiting_signature"
    parity = f"{int(good[-2:], 16) - 27:02x}"
    assert submit(api, row, good[:-2] + parity).json()["status"] == "successful"


@pytest.mark.parametrize(
    "signature", ["", "0x", "0x" + "zz" * 65, "0x" + "11" * 64, "0x" + "11" * 66, "11" * 66, None, 5, ["0x"]]
)
def test_what_is_no_signature_is_a_bad_request(api: httpx.Client, project: Project, signature: Any) -> None:
    row = create(api, account_of(project, held_by="User"))
    response = submit(api, row, signature)
    assert response.status_code == 400
    assert response.json()["error"]["param"] == "signature"


def test_a_transaction_is_signed_once(api: httpx.Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    row = create(api, account)
    signature = signature_of(project, account, row)
    assert submit(api, row, signature, waitForReceipt=False).json()["status"] == "sent"
    for waits in (False, True):
        response = submit(api, row, signature, waitForReceipt=waits)
        assert response.status_code == 409
        assert response.json()["error"]["code"] == "not_awaiting_signature"
    assert submit(api, create(api, account_of(project)), signature).status_code == 409
    assert submit(api, {"id": "tin_none"}, signature).status_code == 404


def test_a_publishable_key_may_bring_the_owners_signature(
    api: httpx.Client, project: Project, browser: httpx.Client
) -> None:
    account = account_of(project, held_by="User")
    row = create(api, account)
    browser.headers["authorization"] = f"Bearer {project.publishable_key}"
    assert browser.get(f"/v2/transactions/{row['id']}").status_code == 401
    assert submit(browser, row, signature_of(project, account, row)).json()["status"] == "successful"


# --- time ----------------------------------------------------------------------------------------------


def test_without_waiting_a_transaction_is_sent_and_settles_with_the_clock(
    api: httpx.Client, project: Project
) -> None:
    began = project.clock.now_ms
    row = create(api, account_of(project), waitForReceipt=False)
    assert (row["status"], project.clock.now_ms) == ("sent", began)
    assert "receipt" not in row
    assert "costUsd" not in row
    assert row["execution"]["transactionHash"]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 1.999})
    assert whole(api, row)["status"] == "sent"
    fired = api.post("/_mock/projects/-/clock/advance", json={"seconds": 0.001}).json()["fired"]
    assert [(each["id"], each["from"], each["to"]) for each in fired] == [(row["id"], "sent", "successful")]
    assert whole(api, row)["status"] == "successful"


def test_waiting_jumps_exactly_to_the_receipt_past_what_is_due_before(
    api: httpx.Client, project: Project
) -> None:
    began = project.clock.now_ms
    for after_ms in (100, 7000, 9000):
        add_fate(project, "successful", options={"after_ms": after_ms})
    accounts = [account_of(project) for _ in range(3)]
    early = create(api, accounts[0], waitForReceipt=False)
    solana = solana_transactions.submit(project)
    waited = create(api, accounts[1])
    assert project.clock.now_ms == began + 7000
    assert waited["receipt"]["createdAt"] == (began + 7000) // 1000
    assert whole(api, early)["receipt"]["createdAt"] == (began + 100) // 1000
    assert project.onchain.solana_transactions[solana.id].status == "confirmed"
    late = create(api, accounts[2], waitForReceipt=False)
    assert late["status"] == "sent"


def test_nobody_waits_for_what_never_comes(api: httpx.Client, project: Project) -> None:
    began = project.clock.now_ms
    add_fate(project, "never_mined")
    add_fate(project, "successful", options={"after_ms": 30_001})
    for _ in range(2):
        assert create(api, account_of(project))["status"] == "sent"
    assert project.clock.now_ms == began


def test_a_wait_survives_the_end_of_its_project(project: Project, app: App) -> None:
    project.clock.tick(EPOCH_MS)
    account = account_of(project)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    outcome = app.pipeline.answer(request_of(project, body))
    assert isinstance(outcome, Pending)
    assert not outcome.wait.ready()
    project.reset(EPOCH_MS)
    assert outcome.wait.ready()
    assert outcome.finish().status == 404


def request_of(project: Project, body: object, **headers: str) -> Request:
    sent = {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json", **headers}
    return Request("POST", "/v2/transactions", "", sent, json.dumps(body).encode())


def test_a_repeated_request_meets_the_first_one_even_while_that_waits() -> None:
    real = [EPOCH_MS]
    world = World(real_ms=lambda: real[0])
    pipeline = assemble(world).pipeline
    project = world.create(name="ticking")
    project.clock.tick(EPOCH_MS)
    body = {"chainId": AMOY, "accountId": account_of(project).id, "calls": [{"to": THERE}]}
    request = request_of(project, body, **{"x-idempotency-key": "once"})
    first = pipeline.answer(request)
    assert isinstance(first, Pending)
    again = pipeline.answer(request)
    assert not isinstance(again, Pending)
    assert (again.status, json.loads(again.body)["error"]["code"]) == (409, "idempotency_key_in_use")
    real[0] += 2000
    third = pipeline.answer(request)
    assert not isinstance(third, Pending)
    assert third.status == 409
    assert first.wait.ready()
    done = first.finish()
    assert json.loads(done.body)["status"] == "successful"
    repeated = pipeline.answer(request)
    assert not isinstance(repeated, Pending)
    assert repeated.body == done.body
    assert len(project.onchain.transactions) == 1


def test_a_repeated_request_repeats_its_answer(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    headers = {"x-idempotency-key": "once"}
    answers = [api.post("/v2/transactions", json=body, headers=headers) for _ in range(2)]
    assert answers[0].content == answers[1].content
    assert answers[0].json()["status"] == "successful"
    other = api.post("/v2/transactions", json={**body, "waitForReceipt": False}, headers=headers)
    assert other.status_code == 409
    assert len(project.onchain.transactions) == 1


# --- lists ---------------------------------------------------------------------------------------------


def listed(api: httpx.Client, **query: Any) -> list[str]:
    response = api.get("/v2/transactions", params={"limit": 100, **query})
    assert response.status_code == 200, response.text
    body = response.json()
    assert body["total"] == len(body["data"])
    return [row["id"] for row in body["data"]]


def test_every_filter_alone_and_together(api: httpx.Client, project: Project) -> None:
    users = [create_user(project, name=name, email=None) for name in ("A", "B")]
    owners = [create_eoa(project, wallet_of_user(project, user), "EVM") for user in users]
    owners.append(account_of(project))
    rows = [
        {**create(api, owner, chain), "owner": owner}
        for chain in (AMOY, BASE)
        for owner in owners
        for _ in range(2)
    ]
    rows.reverse()
    assert listed(api) == [row["id"] for row in rows]
    assert listed(api, order="asc") == [row["id"] for row in rows][::-1]
    filters: dict[str, tuple[Any, Callable[[Any], bool]]] = {
        "chainId": (AMOY, lambda row: row["chainId"] == AMOY),
        "accountId": ([owners[0].id, owners[2].id], lambda row: row["owner"] in (owners[0], owners[2])),
        "userId": ([users[0].id, users[1].id], lambda row: row["owner"] in owners[:2]),
        "walletId": ([owners[0].wallet_id], lambda row: row["owner"] == owners[0]),
        "status": ("awaiting_signature", lambda row: row["status"] == "awaiting_signature"),
    }
    for one, (value, fits) in filters.items():
        expected = [row["id"] for row in rows if fits(row)]
        assert 0 < len(expected) < len(rows)
        assert listed(api, **{one: value}) == expected
        for other, (another, also) in filters.items():
            if one != other:
                both = [row["id"] for row in rows if fits(row) and also(row)]
                assert listed(api, **{one: value, other: another}) == both
    for nobody in (
        {"userId": "usr_x"},
        {"accountId": "acc_x"},
        {"chainId": 5},
        {"feeSponsorshipId": "pol_x"},
    ):
        assert listed(api, **nobody) == []


def test_pages_hold_ten_unless_asked_and_cover_everything(api: httpx.Client, project: Project) -> None:
    account = account_of(project)
    ids = [create(api, account, waitForReceipt=False)["id"] for _ in range(12)][::-1]
    page = api.get("/v2/transactions").json()
    assert (page["object"], page["url"], page["start"], page["end"], page["total"]) == (
        "list",
        "/v2/transactions",
        0,
        10,
        12,
    )
    assert [row["id"] for row in page["data"]] == ids[:10]
    rest = api.get("/v2/transactions", params={"skip": 10, "expand": ["timeline", "account"]}).json()
    assert [row["id"] for row in rest["data"]] == ids[10:]
    assert rest["end"] == 12
    assert rest["data"][0]["account"]["id"] == account.id
    assert events(rest["data"][0]) == ["new", "sent"]
    assert api.get("/v2/transactions", params={"skip": 50}).json()["data"] == []


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"},
        {"skip": "-1"},
        {"order": "newest"},
        {"expand": "everything"},
        {"expand": "account,logs"},
        {"status": "confirmed"},
        {"chainId": "x"},
        {"limit": "9" * 5000},
    ],
)
def test_a_list_that_cannot_be_is_refused(api: httpx.Client, query: dict[str, str]) -> None:
    response = api.get("/v2/transactions", params=query)
    assert response.status_code == 400
    assert response.json()["error"]["param"].startswith(next(iter(query)))


# --- whose ---------------------------------------------------------------------------------------------


def test_users_see_and_use_their_own_only(
    api: httpx.Client,
    project: Project,
    visitor: httpx.Client,
    signed_in: Callable[[str], dict[str, str]],
) -> None:
    ada, bob = signed_in("ada@example.com"), signed_in("bob@example.com")
    owner = user_of_email(project, "ada@example.com")
    other = user_of_email(project, "bob@example.com")
    assert owner is not None
    assert other is not None
    account = create_eoa(project, wallet_of_user(project, owner), "EVM")
    project.undo.mark()
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    path = "/v2/transactions"
    assert visitor.post(path, json=body, headers=bob).status_code == 404
    assert visitor.post(f"{path}/estimate", json=body, headers=bob).status_code == 404
    row = visitor.post(path, json=body, headers=ada).json()
    create(api, account_of(project))
    assert visitor.get(path, headers=ada).json()["total"] == 1
    assert visitor.get(path, headers=bob).json()["total"] == 0
    assert visitor.get(path, headers=bob, params={"userId": owner.id}).json()["total"] == 0
    assert visitor.get(path, headers=ada, params={"userId": [owner.id, other.id]}).json()["total"] == 1
    assert visitor.get(path, headers=ada, params={"userId": other.id}).json()["total"] == 0
    assert visitor.get(f"{path}/{row['id']}", headers=bob).status_code == 404
    assert visitor.get(f"{path}/{row['id']}", headers=ada).json()["id"] == row["id"]
    signature = {"signature": signature_of(project, account, row)}
    assert visitor.post(f"{path}/{row['id']}/signature", json=signature, headers=bob).status_code == 404
    done = visitor.post(f"{path}/{row['id']}/signature", json=signature, headers=ada)
    assert done.json()["status"] == "successful"


def test_a_backend_wallet_has_no_wallet_id(backend: httpx.Client, project: Project) -> None:
    made = backend.post("/v2/accounts/backend", json={"chainType": "EVM"})
    assert made.status_code == 200, made.text
    account = project.wallets.accounts[made.json()["id"]]
    row = create(backend, account)
    assert row["status"] == "successful"
    assert "walletId" not in row
    assert listed(backend, walletId=account.wallet_id) == []


def test_an_ecosystem_acts_for_a_project_that_lets_it(
    api: httpx.Client, world: World, project: Project
) -> None:
    target = world.create(name="target")
    account = account_of(target)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": THERE}]}
    headers = {"x-behalf-of-project": target.id}
    refused = api.post("/v2/transactions", json=body, headers=headers)
    assert refused.status_code == 401
    assert refused.json()["error"]["authorizationCode"]
    assert len(target.onchain.transactions) == 0
    target.settings = replace(target.settings, ecosystems=(project.id,))
    done = api.post("/v2/transactions", json=body, headers=headers)
    assert done.json()["status"] == "successful"
    assert (len(target.onchain.transactions), len(project.onchain.transactions)) == (1, 0)
    assert api.post("/v2/transactions", json=body).status_code == 404


def test_whoever_an_ecosystem_s_user_is_in_another_project_is_there(
    api: httpx.Client, world: World, project: Project, signed_in: Callable[[str], dict[str, str]]
) -> None:
    target = world.create(name="target")
    target.settings = replace(target.settings, ecosystems=(project.id,))
    headers = {**signed_in("ada@example.com"), "x-behalf-of-project": target.id}
    body = {"chainId": AMOY, "interactions": [{"to": THERE}]}
    intents = [api.post("/v1/transaction_intents", json=body, headers=headers).json() for _ in range(2)]
    theirs = {"authorization": f"Bearer {target.secret_key}"}
    player = api.get(f"/v1/players/{intents[0]['player']['id']}", headers=theirs)
    assert player.status_code == 200, player.text
    assert player.json()["accounts"] == [intents[0]["account"]] == [intents[1]["account"]]
    (listed,) = api.get("/v1/players", headers=theirs).json()["data"]
    assert listed == player.json()
    (user,) = api.get("/v2/users", headers=theirs).json()["data"]
    assert api.get(f"/v2/users/{user['id']}/wallet", headers=theirs).json()["id"] == listed["id"]
    (here,) = api.get("/v2/users").json()["data"]
    (linked,) = user["linkedAccounts"]
    assert (linked["provider"], linked["accountId"]) == (project.id, here["id"])
    spend = {"chainId": AMOY, "accountId": intents[0]["account"]["id"], "calls": [{"to": THERE}]}
    assert api.post("/v2/transactions", json=spend, headers=headers).json()["status"] == "successful"


# --- money ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "chain"), [("plain", AMOY), ("plain", BASE), *KINDS])
def test_an_estimate_is_what_it_then_costs_and_leaves_no_trace(
    api: httpx.Client, project: Project, kind: str, chain: int
) -> None:
    account = account_of(project, kind, chain)
    calls = [{"to": THERE, "functionName": "mint(uint8)", "functionArgs": ["7"], "value": "3"}]
    body = {"chainId": chain, "accountId": account.id, "calls": calls}
    before = [tuple(table) for table in project.tables()], project.entropy.draws(), project.timers.pending()
    estimate = api.post("/v2/transactions/estimate", json=body).json()
    assert (
        [tuple(each) for each in project.tables()],
        project.entropy.draws(),
        project.timers.pending(),
    ) == before
    row = create(api, account, chain, calls=calls)
    receipt = row["receipt"]
    fee = int(receipt["gasFee"]) + int(receipt.get("l1GasFee", "0"))
    assert ("l1GasFee" in receipt) == (chain == BASE)
    assert estimate == {
        "estimatedTXGas": receipt["gasUsed"],
        "estimatedTXGasFee": str(fee),
        "estimatedTXGasFeeUSD": row["costUsd"],
        "gasPrice": str(int(receipt["gasFee"]) // int(receipt["gasUsed"])),
    }


def sponsorship(api: httpx.Client, scope: str = "project", **members: Any) -> str:
    """A sponsorship of calls to `THERE` only."""
    criteria = [{"type": "evmAddress", "operator": "in", "addresses": [THERE]}]
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": criteria}
    policy = api.post("/v2/policies", json={"scope": scope, "rules": [rule]})
    assert policy.status_code == 201, policy.text
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy.json()["id"], **members}
    made = api.post("/v2/fee-sponsorship", json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


@pytest.mark.parametrize(("kind", "chain"), KINDS)
def test_a_sponsored_user_operation_is_paid_by_the_projects_paymaster(
    api: httpx.Client, project: Project, kind: str, chain: int
) -> None:
    sponsor = sponsorship(api)
    account = account_of(project, kind, chain, "User")
    assert account.smart_account is not None
    row = create(api, account, chain, feeSponsorshipId=sponsor)
    shown = whole(api, row)
    assert shown["feeSponsorshipId"] == shown["feeSponsorship"]["id"] == sponsor
    operation = shown["execution"]["userOperation"]
    paymaster = paymaster_address(project)
    packed = (
        operation.get("paymasterAndData") or operation["paymaster"].lower() + operation["paymasterData"][2:]
    )
    assert packed.startswith(paymaster.lower())
    entry_point = shown["execution"]["entryPoint"]
    delegate = account.smart_account.implementation_address
    assert row["nextAction"]["hash"] == "0x" + operation_hash(operation, entry_point, chain, delegate).hex()
    # What the paymaster signed is the operation with all of its data but this signature.
    cut = {k: v[:-130] if k in ("paymasterData", "paymasterAndData") else v for k, v in operation.items()}
    approved = operation_hash(cut, entry_point, chain, delegate)
    assert EthAccount._recover_hash(approved, signature=raw("0x" + packed[-130:])) == paymaster
    done = whole(api, submit(api, row, signature_of(project, account, row)).json())
    assert done["status"] == "successful"
    assert done["receipt"]["logs"][-1]["topics"][3] == "0x" + "00" * 12 + paymaster[2:].lower()
    assert ledger.chain_account(project, chain, account.address).balance == 10**18 - 1000
    assert listed(api, feeSponsorshipId=[sponsor]) == [row["id"]]


@pytest.mark.parametrize(("scope", "status"), [("project", "successful"), ("transaction", "failed")])
def test_what_the_policy_does_not_accept_is_paid_by_the_user_or_fails(
    api: httpx.Client, project: Project, scope: str, status: str
) -> None:
    sponsor = sponsorship(api, scope)
    account = account_of(project, "Simple")
    calls = [{"to": THERE}, {"to": "0x" + "22" * 20}]
    row = whole(api, create(api, account, feeSponsorshipId=sponsor, calls=calls))
    assert row["status"] == status
    if status == "failed":
        assert "execution" not in row
        assert row["receipt"]["error"]["reason"].startswith("calls[1]: ")
        assert events(row) == ["failed"]
    else:
        assert "paymaster" not in row["execution"]["userOperation"]
        assert ledger.chain_account(project, AMOY, account.address).balance < 10**18
    assert create(api, account, feeSponsorshipId=sponsor)["status"] == "successful"


def test_a_token_is_named_by_its_address_even_when_the_sponsorship_names_a_contract(
    api: httpx.Client, project: Project
) -> None:
    address = "0x" + "Ab" * 20
    contract = api.post("/v1/contracts", json={"chainId": AMOY, "address": address, "name": "USD"}).json()
    tokens = [{"contract": "0x" + "cd" * 20}, {"contract": contract["id"], "amount": "5"}]
    strategy = {"sponsorSchema": "charge_custom_tokens", "tokenContracts": tokens}
    sponsor = sponsorship(api, strategy=strategy, chainId=AMOY)
    account = account_of(project, "Simple")
    for token in (address, address.lower(), "0x" + "CD" * 20, None):
        row = create(api, account, feeSponsorshipId=sponsor, feeSponsorshipToken=token)
        assert row["status"] == "successful"


# --- fates, through the API ----------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["AA31: paymaster deposit too low", "AA99: initCode too small"])
def test_errors_of_the_entry_point_come_with_an_explanation(
    api: httpx.Client, project: Project, reason: str
) -> None:
    wished = api.post("/_mock/projects/-/fates", json={"outcome": "failed", "code": reason[:4]})
    assert wished.status_code == 201
    row = create(api, account_of(project, "Simple", held_by="User"))
    assert row["status"] == "failed"
    assert "execution" not in row
    assert "nextAction" not in row
    error = row["receipt"]["error"]
    assert error["reason"] == reason
    assert error["explanation"]["cause"]
    assert error["explanation"]["solution"]


def test_a_custom_error_is_decoded_by_the_called_contracts_abi(api: httpx.Client, project: Project) -> None:
    abi = [
        {"type": "function", "name": "buy", "inputs": [{"name": "id", "type": "uint256"}]},
        {"type": "error", "name": "SoldOut", "inputs": [{"name": "id", "type": "uint256"}]},
    ]
    body = {"chainId": AMOY, "address": "0x" + "33" * 20, "name": "Shop", "abi": abi}
    contract = api.post("/v1/contracts", json=body).json()
    api.post("/_mock/projects/-/fates", json={"outcome": "reverted", "error": "SoldOut", "args": ["8"]})
    call = {"contractId": contract["id"], "functionName": "buy", "functionArgs": ["8"]}
    row = create(api, account_of(project, "Simple"), calls=[call])
    assert row["status"] == "reverted"
    assert row["receipt"]["error"] == {"reason": "SoldOut(8)", "name": "SoldOut"}
    assert row["calls"] == [call]
    assert row["receipt"]["gasUsed"]


def test_nulls_of_a_wished_fate_are_as_if_unsaid(api: httpx.Client, project: Project) -> None:
    wish = {"outcome": "reverted", "reason": None, "after_ms": None, "account_id": None}
    assert api.post("/_mock/projects/-/fates", json=wish).status_code == 201
    assert create(api, account_of(project))["receipt"]["error"]["reason"] == "execution reverted"
