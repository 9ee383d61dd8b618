"""What has happened on the stage before a check begins, by the operations of the API itself."""

from base64 import b64decode, b64encode
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from eth_account import Account as EthAccount
from eth_account.messages import encode_typed_data
from eth_utils import keccak

from tests.specification.people import codes, people, wallets_of_people
from tests.specification.stage import AMOY, BASE, PUBLISHABLE, SECRET, SESSION_KEY, Stage, signed_text

OWNER = EthAccount.from_key(b"\x01" * 32)
IMPORTED_KEY = bytes.fromhex("4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318")
ERC20 = [
    {"type": "function", "name": name, "inputs": inputs, "outputs": outputs, "stateMutability": mutability}
    for name, inputs, outputs, mutability in (
        (
            "transfer",
            [{"name": "to", "type": "address"}, {"name": "value", "type": "uint256"}],
            [{"name": "", "type": "bool"}],
            "nonpayable",
        ),
        ("totalSupply", [], [{"name": "", "type": "uint256"}], "view"),
        ("balanceOf", [{"name": "owner", "type": "address"}], [{"name": "", "type": "uint256"}], "view"),
    )
]


@cache
def the_stage() -> Stage:
    """The stage of this process, set once."""
    stage = Stage()
    first = (people, codes, wallets_of_people, accounts, backend_wallets)
    for set_up in (*first, rules, transactions, older, webhooks, funding):
        set_up(stage)
    stage.keep()
    return stage


def accounts(stage: Stage) -> None:
    """Ada's accounts of each type, and a user who was pregenerated."""
    names = stage.names
    owned = {"user": names["user"], "chainType": "EVM"}
    plain = {**owned, "accountType": "Externally Owned Account"}
    eoa = stage.call("POST", "/v2/accounts", plain)
    names["eoa"], names["eoa_address"], names["wallet"] = eoa["id"], eoa["address"], eoa["wallet"]
    passkey = {"id": "pk-1", "name": "Chrome", "os": "macOS", "os_version": "15", "device": "MacBook"}
    recovery = {"method": "passkey", "passkey": passkey}
    stage.call("PUT", f"{stage.control}/accounts/{eoa['id']}/recovery", recovery, {})
    for name, kind, implementation in (
        ("smart", "Smart Account", "UpgradeableV6"),
        ("delegated", "Delegated Account", "CaliburV9"),
    ):
        body = {**owned, "accountType": kind, "account": eoa["id"], "implementationType": implementation}
        row = stage.call("POST", "/v2/accounts", {**body, "chainId": AMOY})
        names[name], names[f"{name}_address"] = row["id"], row["address"]
        names["implementation"] = row["smartAccount"]["implementationAddress"]
    names["authorization"] = _authorization(stage)
    names["svm"] = stage.call("POST", "/v2/accounts", {**plain, "chainType": "SVM"})["id"]
    pregenerated = {"email": "later@example.com", "accounts": [{}]}
    later = stage.call("POST", "/v2/users/pregenerate", pregenerated)
    names["later_user"], account = later["user"], later["accounts"][0]
    names["later_account"], names["later_wallet"] = account["id"], account["wallet"]


def _authorization(stage: Stage) -> str:
    """What the owner of the delegated account signs to delegate it (EIP-7702)."""
    key = stage.call("GET", f"{stage.control}/accounts/{stage.names['delegated']}/key", None, {})[
        "private_key"
    ]
    fields = {"chainId": AMOY, "address": stage.names["implementation"], "nonce": 0}
    signed = EthAccount.sign_authorization(fields, key)
    return "0x" + f"{signed.r:064x}{signed.s:064x}{27 + signed.y_parity:02x}"


def backend_wallets(stage: Stage) -> None:
    """Backend wallets of both chain types, and what exporting and importing a key need."""
    names = stage.names
    for name, chain_type in (("backend", "EVM"), ("backend_svm", "SVM"), ("spare_backend", "EVM")):
        body = {"chainType": chain_type}
        row = stage.call("POST", "/v2/accounts/backend", body, wallet=True)
        names[name], names[f"{name}_address"] = row["id"], row["address"]
        names[f"{name}_wallet"] = row["walletId"]
    names["secret_id"] = next(iter(stage.project.wallets.secrets)).id
    names["export_key"] = b64encode(_export_key()).decode()
    public = load_der_public_key(_import_key(stage))
    assert isinstance(public, rsa.RSAPublicKey)
    sealed = public.encrypt(IMPORTED_KEY, OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=None))
    names["sealed_key"] = b64encode(sealed).decode()


@cache
def _export_key() -> bytes:
    """A public key of RSA-4096 of fixed numbers: one need not be able to decrypt what it seals."""
    numbers = rsa.RSAPublicNumbers(65537, (1 << 4095) + 3)
    return numbers.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _import_key(stage: Stage) -> bytes:
    return b64decode(stage.call("GET", "/_mock/import-key", None, {})["public_key"])


def rules(stage: Stage) -> None:
    """A contract, policies of the scopes, who pays for gas, a paymaster and a forwarder."""
    names = stage.names
    body = {"name": "Token", "chainId": AMOY, "address": names["token_address"], "abi": ERC20}
    names["contract"] = stage.call("POST", "/v1/contracts", body)["id"]
    names["base_contract"] = stage.call("POST", "/v1/contracts", {**body, "chainId": BASE})["id"]
    accept = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = stage.call("POST", "/v2/policies", {"scope": "project", "rules": [accept], "description": "all"})
    names["policy"] = policy["id"]
    signing = {**accept, "operation": "signEvmMessage"}
    own = {"scope": "account", "accountId": names["backend"], "rules": [signing]}
    names["account_policy"] = stage.call("POST", "/v2/policies", own)["id"]
    free = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy["id"], "chainId": AMOY}
    names["sponsorship"] = stage.call("POST", "/v2/fee-sponsorship", {**free, "name": "Free gas"})["id"]
    anywhere = {"strategy": free["strategy"], "policyId": policy["id"]}
    names["anywhere_sponsorship"] = stage.call("POST", "/v2/fee-sponsorship", anywhere)["id"]
    charged = {
        "sponsorSchema": "charge_custom_tokens",
        "tokenContracts": [{"contract": names["token_address"]}],
    }
    body = {"strategy": charged, "policyId": policy["id"], "chainId": AMOY, "name": "Paid in tokens"}
    names["token_sponsorship"] = stage.call("POST", "/v2/fee-sponsorship", body)["id"]
    made = {"address": names["there"], "chainId": AMOY}
    names["paymaster"] = stage.call("POST", "/v1/paymasters", {"address": names["there"], "name": "P"})["id"]
    names["forwarder"] = stage.call("POST", "/v1/forwarder_contracts", made)["id"]


def transactions(stage: Stage) -> None:
    """A transaction that succeeded, one that reverted, one that awaits Ada's signature, Solana's three."""
    names = stage.names
    call = {"to": names["there"], "value": "1", "dataSuffix": "0x1234"}
    token = {
        "contractId": names["contract"],
        "functionName": "transfer",
        "functionArgs": [names["there"], "1"],
    }
    plain = {"chainId": AMOY, "accountId": names["backend"], "calls": [call]}
    names["plain_transaction"] = stage.call("POST", "/v2/transactions", plain)["id"]
    awaiting = {"chainId": AMOY, "accountId": names["smart"], "calls": [call, token]}
    sponsored = {**awaiting, "feeSponsorshipId": names["sponsorship"]}
    made = stage.call("POST", "/v2/transactions", sponsored)
    signature = {"signature": stage.sign(names["smart"], made["nextAction"]["hash"])}
    stage.call("POST", f"/v2/transactions/{made['id']}/signature", signature)
    names["transaction"] = made["id"]
    stage.call("POST", f"{stage.control}/fates", {"outcome": "failed", "code": "AA21"}, {})
    failed = stage.call("POST", "/v2/transactions", awaiting)
    names["failed_transaction"] = failed["id"]
    made = stage.call("POST", "/v2/transactions", sponsored)
    names["awaiting"] = made["id"]
    names["signature"] = stage.sign(names["smart"], made["nextAction"]["hash"])
    stage.call("POST", f"{stage.control}/fates", {"outcome": "reorged"}, {})
    rolled_up = {
        "chainId": BASE,
        "accountId": names["backend"],
        "calls": [{**token, "contractId": names["base_contract"]}],
    }
    names["orphaned_transaction"] = stage.call("POST", "/v2/transactions", rolled_up)["id"]
    stage.advance(60)
    _solana(stage)


def _solana(stage: Stage) -> None:
    """A Solana transaction, one that failed, one that is signed only, and a bundle of two."""
    names = stage.names
    path = f"{stage.control}/solana/transactions"
    names["solana"] = stage.call("POST", path, {}, {})["id"]
    names["sign_only"] = stage.call("POST", path, {"sign_only": True}, {})["id"]
    names["failed_solana"] = stage.call("POST", path, {}, {})["id"]
    stage.call("POST", f"{path}/{names['failed_solana']}/settle", {"outcome": "failed"}, {})
    stage.call("POST", path, {"transactions": 2, "external_id": "order-1"}, {})
    found = stage.call("GET", "/v1/solana/transactions?externalId=order-1", None, PUBLISHABLE)
    names["bundle"] = found["bundleId"]
    names["bundle_first"], names["bundle_second"] = found["txSignatures"]


def older(stage: Stage) -> None:
    """Players, intents, session keys, gas policies and developer accounts."""
    names = stage.names
    older_account = stage.call("POST", "/v1/accounts", {"chainId": AMOY})
    names["player_account"], names["player"] = older_account["id"], older_account["player"]["id"]
    _session_keys(stage)
    body = {"name": "older gas", "chainId": AMOY, "strategy": {"sponsorSchema": "pay_for_user"}}
    names["gas_policy"] = stage.call("POST", "/v1/policies", body)["id"]
    rule = {"policy": names["gas_policy"], "type": "account_functions"}
    names["rule"] = stage.call("POST", "/v1/policy_rules", rule)["id"]
    names["developer"] = stage.call("POST", "/v1/settings/developer_accounts", {"name": "D"})["id"]
    call = {"to": names["there"], "value": "1"}
    intent = {"chainId": AMOY, "account": names["player_account"], "policy": names["gas_policy"]}
    names["intent"] = stage.call("POST", "/v1/transaction_intents", {**intent, "interactions": [call]})["id"]
    outside = {"chainId": AMOY, "externalOwnerAddress": OWNER.address, "interactions": [call]}
    waiting = stage.call("POST", "/v1/transaction_intents", outside)
    names["waiting_intent"], names["intent_signature"] = waiting["id"], _signed(waiting)
    _developer_accounts(stage)
    google = {"provider": "google", "enabled": True, "clientId": "id", "clientSecret": "secret"}
    stage.call("POST", "/iam/v1/oauth", google, SECRET)


def _developer_accounts(stage: Stage) -> None:
    names = stage.names
    asked = f"/v1/settings/developer_accounts/message_to_sign?address={OWNER.address}"
    names["developer_signature"] = signed_text(OWNER, stage.call("GET", asked)["message"])
    typed = encode_typed_data(
        {"name": "Shop", "chainId": AMOY}, {"Mail": [{"name": "text", "type": "string"}]}, {"text": "hello"}
    )
    names["typed_data_hash"] = "0x" + keccak(b"\x19" + typed.version + typed.header + typed.body).hex()
    fixed = {
        "sponsorSchema": "fixed_rate",
        "tokenContract": names["token_address"],
        "tokenContractAmount": "5",
    }
    body = {"name": "paid back", "chainId": AMOY, "strategy": fixed}
    names["token_gas_policy"] = stage.call("POST", "/v1/policies", body)["id"]
    call = {"to": names["there"], "value": "1"}
    intent = {"chainId": AMOY, "account": names["player_account"], "policy": names["token_gas_policy"]}
    stage.call("POST", "/v1/transaction_intents", {**intent, "interactions": [call]})


def _session_keys(stage: Stage) -> None:
    names = stage.names
    names["external_owner"] = OWNER.address
    window = {"address": SESSION_KEY.address, "chainId": AMOY, "validAfter": names["now"]}
    window |= {"validUntil": names["later"]}
    active = stage.call("POST", "/v1/sessions", {**window, "account": names["player_account"]})
    names["session_key"] = active["id"]
    pending = stage.call("POST", "/v1/sessions", {**window, "externalOwnerAddress": OWNER.address})
    names["pending_key"], names["key_signature"] = pending["id"], _signed(pending)
    names["outside_player"] = stage.call("GET", f"/v1/accounts/{pending['account']['id']}")["player"]["id"]


def _signed(answer: Any) -> str:
    """What the outside owner signs for an answer that asks for it."""
    digest = answer["nextAction"]["payload"]["signableHash"]
    return "0x" + bytes(OWNER.unsafe_sign_hash(digest).signature).hex()


def webhooks(stage: Stage) -> None:
    """A subscription with a trigger, and a balance that is watched."""
    names = stage.names
    trigger = {"target": "https://shop.example/hooks", "type": "webhook"}
    made = stage.call("POST", "/v1/subscriptions", {"topic": "test", "triggers": [trigger]})
    names["subscription"], names["trigger"] = made["id"], made["triggers"][0]["id"]
    watched = {"name": "low", "topic": "balance.project", "threshold": "5"}
    names["event"] = stage.call("POST", "/v1/events", watched)["id"]


def funding(stage: Stage) -> None:
    """A funding session, which has not been paid."""
    target = {"chain": "eip155:84532", "currency": stage.names["there"], "address": stage.names["there"]}
    made = stage.call("POST", "/v2/funding/sessions", {"target": target}, PUBLISHABLE)
    stage.names["funding"], stage.names["funding_secret"] = made["id"], made["clientSecret"]
