"""Smart accounts on the chains of ZKsync, through both APIs; what owners sign is judged by eth_account."""

from typing import Any

import eth_abi
from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct, encode_typed_data
from eth_utils import keccak
from httpx import Client

from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.keys.custody import key_of
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from tests import accounts
from tests.fates import add_fate
from tests.signing import owner_of, sign_hash
from tests.tables import cases

ZKSYNC_SEPOLIA = 300
CHAINS = (ZKSYNC_SEPOLIA, 11124)
THERE = "0x" + "11" * 20
TOKEN = "0x742D35CC6634C0532925A3B844bC9E7595f0Ab12"
CALL = {"to": THERE, "value": "1000"}
TRANSFER = {"to": TOKEN, "functionName": "transfer(address,uint256)", "functionArgs": [THERE, "5"]}
MEMBERS = {"from", "to", "nonce", "gas", "maxFeePerGas", "maxPriorityFeePerGas", "value", "data"}
SPONSORED = {"paymaster", "paymasterInput"}
HOUR_MS = 3_600_000


def account_of(project: Project, held_by: Custody = "Developer", chain: int = ZKSYNC_SEPOLIA) -> Account:
    return accounts.account_of(project, chain=chain, held_by=held_by)


def create(api: Client, account: Account, *calls: dict[str, Any], **members: Any) -> Any:
    """A new v2 transaction with its timeline and logs."""
    body = {"chainId": account.chain_id, "accountId": account.id, "calls": list(calls or [CALL]), **members}
    response = api.post("/v2/transactions", json=body)
    assert response.status_code == 200, response.text
    return whole(api, response.json()["id"])


def whole(api: Client, transaction_id: str) -> Any:
    return api.get(f"/v2/transactions/{transaction_id}", params={"expand": ["timeline", "logs"]}).json()


def create_intent(api: Client, account: Account, *calls: dict[str, Any], **members: Any) -> Any:
    body = {"chainId": account.chain_id, "account": account.id, "interactions": list(calls or [CALL])}
    response = api.post("/v1/transaction_intents", json={**body, **members})
    assert response.status_code == 200, response.text
    return response.json()


def sponsorship_of(api: Client, strategy: dict[str, Any] | None = None) -> str:
    """The id of a fee sponsorship that takes everything on."""
    rule = {"action": "accept", "operation": "sponsorEvmTransaction"}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    chosen = strategy or {"sponsorSchema": "pay_for_user"}
    body = {"strategy": chosen, "policyId": policy, "chainId": ZKSYNC_SEPOLIA}
    response = api.post("/v2/fee-sponsorship", json=body)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def digest_of(shown: Any, chain: int = ZKSYNC_SEPOLIA) -> str:
    """What the owner signs, from what a client is shown."""
    numbers = {
        "txType": 113,
        "from": int(shown["from"], 16),
        "to": int(shown["to"], 16),
        "gasLimit": int(shown["gas"]),
        "gasPerPubdataByteLimit": 50_000,
        "maxFeePerGas": int(shown["maxFeePerGas"]),
        "maxPriorityFeePerGas": int(shown["maxPriorityFeePerGas"]),
        "paymaster": int(shown.get("paymaster", "0x0"), 16),
        "nonce": int(shown["nonce"]),
        "value": int(shown["value"]),
    }
    rest = {"data": shown["data"], "factoryDeps": [], "paymasterInput": shown.get("paymasterInput", "0x")}
    kinds = {"data": "bytes", "factoryDeps": "bytes32[]", "paymasterInput": "bytes"}
    fields = [{"name": name, "type": kinds.get(name, "uint256")} for name in (*numbers, *rest)]
    domain = {"name": "zkSync", "version": "2", "chainId": chain}
    typed = encode_typed_data(domain, {"Transaction": fields}, numbers | rest)
    return "0x" + keccak(b"\x19" + typed.version + typed.header + typed.body).hex()


def signature_of(project: Project, account: Account, digest: str) -> str:
    return sign_hash(owner_of(project, account), digest)


def events(row: Any) -> list[str]:
    return [event["event"] for event in row["timeline"]]


def balance(project: Project, address: str) -> int:
    return ledger.chain_account(project, ZKSYNC_SEPOLIA, address).balance


@cases("chain", *CHAINS)
def test_one_in_custody_sends_a_transaction_itself(api: Client, project: Project, chain: int) -> None:
    account = account_of(project, chain=chain)

    row = create(api, account)

    assert (row["status"], row["execution"]["type"]) == ("successful", "transaction")
    assert set(row["execution"]) == MEMBERS | {"type", "transactionHash"}
    assert (row["execution"]["from"], row["execution"]["to"]) == (account.address, THERE)
    assert (row["execution"]["value"], row["execution"]["data"]) == ("1000", "0x")
    assert row["receipt"]["to"] == THERE
    assert row["receipt"]["transactionHash"] == row["execution"]["transactionHash"]
    assert int(row["receipt"]["gasUsed"]) < int(row["execution"]["gas"])
    assert row["receipt"]["logs"] == []
    assert events(row) == ["new", "sent", "successful"]


def test_an_owner_signs_the_typed_data_of_the_transaction(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    row = create(api, account, TRANSFER)
    assert row["status"] == "awaiting_signature"
    assert "transactionHash" not in row["execution"]
    digest = digest_of(row["execution"])
    assert row["nextAction"] == {"type": "sign_with_wallet", "hash": digest}

    signature = signature_of(project, account, digest)
    path = f"/v2/transactions/{row['id']}/signature"
    refused = api.post(path, json={"signature": signature_of(project, account, "0x" + "01" * 32)})
    assert refused.status_code == 409
    done = whole(api, api.post(path, json={"signature": signature}).json()["id"])

    assert done["status"] == "successful"
    signed = keccak(bytes.fromhex(digest[2:]) + keccak(bytes.fromhex(signature[2:])))
    assert done["execution"]["transactionHash"] == "0x" + signed.hex()
    assert events(done) == ["awaiting_signature", "sent", "successful"]
    assert [log["address"] for log in done["receipt"]["logs"]] == [TOKEN]
    assert done["receipt"]["to"] == TOKEN


def test_an_owner_may_sign_it_as_a_message_too(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    row = create(api, account)
    key = key_of(project, account)
    assert key is not None
    signed = EthAccount.from_key(key.secret).sign_message(encode_defunct(hexstr=row["nextAction"]["hash"]))

    body = {"signature": "0x" + bytes(signed.signature).hex()}
    done = api.post(f"/v2/transactions/{row['id']}/signature", json=body).json()

    assert done["status"] == "successful"


def test_an_intent_has_its_details_in_the_older_words(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    intent = create_intent(api, account)
    assert intent["abstractionType"] == "zkSync"
    assert set(intent["details"]) == MEMBERS
    assert all(isinstance(value, str) for value in intent["details"].values())
    assert "userOperation" not in intent
    digest = digest_of(intent["details"])
    assert intent["nextAction"]["payload"] == {"signableHash": digest}

    body = {"signature": signature_of(project, account, digest)}
    done = api.post(f"/v1/transaction_intents/{intent['id']}/signature", json=body).json()

    assert (done["response"]["status"], done["response"]["to"]) == (1, THERE)
    assert done["response"]["logs"] == []
    assert done["userOperationHash"] == digest
    steps = [step["toStatus"] for step in done["transitions"]]
    assert steps == ["new", "sent", "indexed", "confirmed"]


def test_several_calls_are_one_call_of_the_account_to_itself(api: Client, project: Project) -> None:
    account = account_of(project)

    row = create(api, account, CALL, TRANSFER, {**CALL, "value": "7"})

    sent = row["execution"]
    assert sent["to"] == row["receipt"]["to"] == account.address
    assert sent["value"] == "0"
    data = bytes.fromhex(sent["data"][2:])
    assert data[:4] == keccak(text="executeBatch(address[],uint256[],bytes[])")[:4]
    to, values, inner = eth_abi.decode(["address[]", "uint256[]", "bytes[]"], data[4:])
    assert (to, values) == ((THERE, TOKEN.lower(), THERE), (1000, 0, 7))
    assert inner[1][:4] == keccak(text="transfer(address,uint256)")[:4]
    assert balance(project, THERE) == 1007


def test_a_sponsored_transaction_has_an_approving_paymaster(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    sponsorship = sponsorship_of(api)
    deposit = ledger.paymaster_account(project, ZKSYNC_SEPOLIA, paymaster_address(project)).balance

    row = create(api, account, feeSponsorshipId=sponsorship)
    sent = row["execution"]
    assert set(sent) == MEMBERS | SPONSORED | {"type"}
    assert sent["paymaster"] == paymaster_address(project)
    raw = bytes.fromhex(sent["paymasterInput"][2:])
    assert raw[:4] == keccak(text="general(bytes)")[:4]
    (inner,) = eth_abi.decode(["bytes"], raw[4:])
    unapproved = raw[:4] + eth_abi.encode(["bytes"], [inner[:12]])
    approved = digest_of(sent | {"paymasterInput": "0x" + unapproved.hex()})
    signer = EthAccount._recover_hash(bytes.fromhex(approved[2:]), signature=inner[12:])
    assert signer == sent["paymaster"]

    digest = digest_of(sent)
    body = {"signature": signature_of(project, account, digest)}
    done = api.post(f"/v2/transactions/{row['id']}/signature", json=body).json()

    assert done["status"] == "successful"
    assert balance(project, account.address) == 10**18 - 1000
    assert balance(project, sent["paymaster"]) == deposit - int(done["receipt"]["gasFee"])


def test_a_sponsored_intent_shows_its_paymaster(api: Client, project: Project) -> None:
    intent = create_intent(api, account_of(project), policy=sponsorship_of(api))

    assert intent["response"]["status"] == 1
    assert set(intent["details"]) == MEMBERS | SPONSORED
    assert intent["userOperationHash"] == digest_of(intent["details"])


def test_a_paid_back_paymaster_is_allowed_what_it_may_take(api: Client, project: Project) -> None:
    token = api.post(
        "/v1/contracts", json={"name": "USD", "chainId": ZKSYNC_SEPOLIA, "address": TOKEN}
    ).json()
    tokens = [{"contract": token["id"], "amount": "2000000"}]
    sponsorship = sponsorship_of(api, {"sponsorSchema": "charge_custom_tokens", "tokenContracts": tokens})

    row = create(api, account_of(project), feeSponsorshipId=sponsorship)

    raw = bytes.fromhex(row["execution"]["paymasterInput"][2:])
    assert raw[:4] == keccak(text="approvalBased(address,uint256,bytes)")[:4]
    address, allowance, _ = eth_abi.decode(["address", "uint256", "bytes"], raw[4:])
    (paid,) = [log for log in row["receipt"]["logs"] if log["address"] == TOKEN]
    assert address == TOKEN.lower()
    assert 0 < int(paid["data"], 16) <= allowance


def test_an_approval_that_is_over_fails_the_transaction(api: Client, project: Project) -> None:
    account = account_of(project, held_by="User")
    row = create(api, account, feeSponsorshipId=sponsorship_of(api))
    TIMER_LOOP.advance(project, project.clock.now_ms + HOUR_MS + 1000)

    body = {"signature": signature_of(project, account, row["nextAction"]["hash"])}
    done = api.post(f"/v2/transactions/{row['id']}/signature", json=body).json()

    assert done["status"] == "failed"
    reason = "Paymaster validation error: the approval has expired"
    assert done["receipt"]["error"] == {"reason": reason}


def test_a_fate_reverts_it_and_only_the_gas_is_gone(api: Client, project: Project) -> None:
    account = account_of(project)
    add_fate(project, "reverted", options={"reason": "not today"})

    row = create(api, account)

    assert row["status"] == "reverted"
    assert row["receipt"]["error"] == {"reason": "not today", "name": "Error"}
    assert row["receipt"]["logs"] == []
    assert events(row) == ["new", "sent", "reverted"]
    assert balance(project, account.address) == 10**18 - int(row["receipt"]["gasFee"])
    assert balance(project, THERE) == 0


def test_without_funds_it_fails_in_the_words_of_the_chain(api: Client, project: Project) -> None:
    account = account_of(project)

    row = create(api, account, {**CALL, "value": str(10**18)})
    intent = api.get(f"/v1/transaction_intents/{row['id']}").json()

    assert row["status"] == "failed"
    assert row["receipt"]["error"]["reason"].startswith("insufficient funds for gas * price + value")
    assert "name" not in row["receipt"]["error"]
    assert intent["abstractionType"] == "zkSync"


def test_nonces_follow_and_the_first_deploys_the_account(api: Client, project: Project) -> None:
    account = account_of(project)
    path = f"/v2/accounts/{account.id}"
    assert "deployedAt" not in api.get(path).json()["smartAccount"]

    first, second = create(api, account), create(api, account)

    assert [row["execution"]["nonce"] for row in (first, second)] == [0, 1]
    assert int(first["receipt"]["gasUsed"]) > int(second["receipt"]["gasUsed"])
    shown = api.get(path).json()["smartAccount"]
    assert shown["deployedTx"] == first["receipt"]["transactionHash"]
    assert shown["deployedAt"] == first["updatedAt"]


def test_an_estimate_is_what_it_costs_then(api: Client, project: Project) -> None:
    account = account_of(project)
    body = {"chainId": ZKSYNC_SEPOLIA, "account": account.id, "interactions": [CALL]}

    estimated = api.post("/v1/transaction_intents/estimate_gas_cost", json=body).json()
    intent = create_intent(api, account)

    assert estimated["estimatedTXGas"] == intent["response"]["gasUsed"]
    assert estimated["estimatedTXGasFee"] == intent["response"]["gasFee"]


def test_externally_owned_accounts_are_as_elsewhere(api: Client, project: Project) -> None:
    account = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    project.undo.mark()

    intent = create_intent(api, account._replace(chain_id=ZKSYNC_SEPOLIA))

    assert (intent["abstractionType"], intent["response"]["gasUsed"]) == ("standard", "21000")


@cases("named", {}, {"implementationType": "Calibur"}, {"implementationType": "CaliburV9"})
def test_accounts_cannot_be_delegated_there(api: Client, project: Project, named: dict[str, str]) -> None:
    wallet = create_wallet(project, user_id=create_user(project, name="Ada", email=None).id)
    owner = create_eoa(project, wallet, "EVM")
    project.undo.mark()
    body = {"user": wallet.user_id, "account": owner.id, "accountType": "Delegated Account"}

    response = api.post("/v2/accounts", json={**body, "chainType": "EVM", "chainId": ZKSYNC_SEPOLIA, **named})

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "implementation_not_available"
