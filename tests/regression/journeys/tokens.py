"""Tokens of the standards, unsigned transactions, other kinds of chains: what calls and bytes mean."""

import json
from typing import Any
from urllib.parse import urlencode

import rlp
from solders.hash import Hash
from solders.instruction import AccountMeta, Instruction
from solders.message import Message
from solders.pubkey import Pubkey
from solders.system_program import TransferParams
from solders.system_program import transfer as lamports

from tests.regression.journeys.accounts import built_on, externally_owned
from tests.regression.journeys.money import contract, function, sponsorship
from tests.regression.journeys.rules import CRITERIA, rule
from tests.regression.journeys.sign_in import sign_up
from tests.regression.journeys.transactions import THERE, read, submit
from tests.regression.journeys.wallets import BACKEND, Signer, backend_wallet
from tests.regression.story import Project, Story

AMOY = 80002
OTHER = "0x" + "22" * 20
MOVE = {"from": "address", "to": "address"}
VIEW = {"stateMutability": "view"}
FUNGIBLE = [
    function("transfer", {"to": "address", "value": "uint256"}, "bool"),
    function("transferFrom", {**MOVE, "value": "uint256"}, "bool"),
    function("approve", {"spender": "address", "value": "uint256"}, "bool"),
    function("mint", {"to": "address", "value": "uint256"}),
    function("burn", {"value": "uint256"}),
    function("balanceOf", {"owner": "address"}, "uint256", **VIEW),
    function("allowance", {"owner": "address", "spender": "address"}, "uint256", **VIEW),
    function("totalSupply", {}, "uint256", **VIEW),
    function("decimals", {}, "uint8", **VIEW),
    function("symbol", {}, "string", **VIEW),
]
UNIQUE = [
    function("transferFrom", {**MOVE, "id": "uint256"}),
    function("safeTransferFrom", {**MOVE, "id": "uint256"}),
    function("approve", {"to": "address", "id": "uint256"}),
    function("setApprovalForAll", {"operator": "address", "approved": "bool"}),
    function("mint", {"to": "address", "id": "uint256"}),
    function("safeMint", {"to": "address"}),
    function("burn", {"id": "uint256"}),
    function("balanceOf", {"owner": "address"}, "uint256", **VIEW),
    function("ownerOf", {"id": "uint256"}, "address", **VIEW),
    function("getApproved", {"id": "uint256"}, "address", **VIEW),
    function("isApprovedForAll", {"owner": "address", "operator": "address"}, "bool", **VIEW),
    function("supportsInterface", {"id": "bytes4"}, "bool", **VIEW),
]
SEVERAL = [
    function("mint", {"to": "address", "id": "uint256", "value": "uint256", "data": "bytes"}),
    function("mintBatch", {"to": "address", "ids": "uint256[]", "values": "uint256[]", "data": "bytes"}),
    function("burn", {"from": "address", "id": "uint256", "value": "uint256"}),
    function("safeTransferFrom", {**MOVE, "id": "uint256", "value": "uint256", "data": "bytes"}),
    function("safeBatchTransferFrom", {**MOVE, "ids": "uint256[]", "values": "uint256[]", "data": "bytes"}),
    function("setApprovalForAll", {"operator": "address", "approved": "bool"}),
    function("balanceOf", {"owner": "address", "id": "uint256"}, "uint256", **VIEW),
    function("balanceOfBatch", {"owners": "address[]", "ids": "uint256[]"}, "uint256[]", **VIEW),
    function("isApprovedForAll", {"owner": "address", "operator": "address"}, "bool", **VIEW),
    function("supportsInterface", {"id": "bytes4"}, "bool", **VIEW),
]
TYPES = {"flag": "bool", "text": "string", "small": "int8", "bytes": "bytes4", "list": "uint8[2][]"}
OWN = [
    function("store", TYPES),
    function("items", {"id": "uint256"}, "tuple(uint256,string)[]", **VIEW),
    function("count", {}, "int64", **VIEW),
]
# Values of parameters, by their names.
VALUES: dict[str, Any] = {
    "to": THERE,
    "spender": THERE,
    "operator": THERE,
    "value": "5",
    "id": "7",
    "ids": ["7", "8"],
    "values": ["1", "2"],
    "data": "0x1234",
    "approved": True,
    "flag": True,
    "text": "\u00e9",
    "small": -5,
    "bytes": "0x12345678",
    "list": [[1, 2], [3, 4]],
}
# A mint comes first, so that there is something to move.
ORDER = ("mint", "mintBatch", "safeMint", "approve", "setApprovalForAll")


def calls_of(abi: list[dict[str, Any]], token: str, holder: str) -> list[dict[str, Any]]:
    """Calls of every function that changes something, then some that do not fit."""
    written = [each for each in abi if "stateMutability" not in each]
    written.sort(key=lambda each: ORDER.index(each["name"]) if each["name"] in ORDER else len(ORDER))
    asked = [(each["name"], arguments(each, holder)) for each in written]
    asked += [(name, values[:-1]) for name, values in asked[:2]]
    asked += [(name, ["wrong", *values[1:]]) for name, values in asked[:2]]
    asked.append(("nothing", []))
    return [{"contractId": token, "functionName": name, "functionArgs": values} for name, values in asked]


def arguments(abi: dict[str, Any], holder: str) -> list[Any]:
    """What a function is called with: the holder gives to another, and gets what is minted."""
    values = {**VALUES, "from": holder, "owner": holder, "owners": [holder, THERE]}
    if "int" in abi["name"]:
        values["to"] = holder
    if abi["name"] == "supportsInterface":
        values["id"] = "0x80ac58cd"
    return [values[each["name"]] for each in abi["inputs"]]


def standards(story: Story) -> None:
    """Tokens of ERC-20, ERC-721 and ERC-1155 are moved, and read in between."""
    known = {"0x" + "5f" * 20: {"decimals": 6, "symbol": "USD"}}
    for settings in ({}, {"strict_token_balances": True, "tokens": known}):
        project = story.project(f"tokens-{story.number('tokens')}", settings=settings)
        user = sign_up(project)["user"]["id"]
        owner = externally_owned(project, user)
        smart = built_on(project, {**owner, "user": user})
        free = sponsorship(project)
        for number, abi in enumerate((FUNGIBLE, UNIQUE, SEVERAL, OWN)):
            token = contract(project, "0x" + f"{5 + number}f" * 20, abi=abi)
            for account, more in ((owner, {}), (smart, {"feeSponsorshipId": free})):
                for call in calls_of(abi, token, account["address"]):
                    body = {"chainId": AMOY, "accountId": account["id"], "calls": [call], **more}
                    submit(project, project.call("POST", "/v2/transactions", body), account["id"])
                reads(project, abi, token, account["address"])


def reads(project: Project, abi: list[dict[str, Any]], token: str, holder: str) -> None:
    """Every function of a token that only answers, and one that does more."""
    asked = [each for each in abi if "stateMutability" in each] + abi[:1]
    for each in asked:
        values = arguments(each, holder)
        pairs = [("functionArgs", v if isinstance(v, str) else json.dumps(v)) for v in values]
        path = f"/v1/contracts/{token}/read?" + urlencode([("functionName", each["name"]), *pairs])
        project.call("GET", path)
        project.call("GET", path.partition("&")[0])


def unsigned_evm() -> list[str]:
    """Unsigned transactions of every type (EIP-155, EIP-2930, EIP-1559), and bytes that are none."""
    there = bytes.fromhex(THERE[2:])
    legacy = [1, 10**9, 21_000, there, 500, b""]
    listed: list[Any] = [AMOY, 1, 10**9, 21_000, there, 500, b"\x12\x34", []]
    newer: list[Any] = [AMOY, 1, 10**9, 2 * 10**9, 21_000, there, 5000, b"", []]
    raw = [
        rlp.encode(legacy),
        rlp.encode([*legacy, AMOY, 0, 0]),
        b"\x01" + rlp.encode(listed),
        b"\x02" + rlp.encode(newer),
    ]
    raw += [b"\x02" + rlp.encode(newer[:-1]), b"\x05" + rlp.encode(newer), b"\x02\xff", b"\xc0"]
    raw += [b"\x19\x01" + bytes(64), b"\x19Ethereum Signed Message:\n2hi", b"\x19\x00hello", bytes(32)]
    return ["0x" + each.hex() for each in raw]


def unsigned_solana(payer: str) -> list[str]:
    """Serialized messages: a transfer, a call of a program, plain text."""
    sender, receiver = Pubkey.from_string(payer), Pubkey.from_bytes(bytes(range(32)))
    paid = lamports(TransferParams(from_pubkey=sender, to_pubkey=receiver, lamports=500))
    metas = [AccountMeta(sender, is_signer=True, is_writable=True), AccountMeta(receiver, False, True)]
    token = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
    moved = Instruction(token, bytes([3]) + (1000).to_bytes(8, "little"), [metas[1], metas[1], metas[0]])
    called = Instruction(Pubkey.from_bytes(bytes(range(1, 33))), bytes(range(1, 17)), metas)
    messages = [
        Message.new_with_blockhash(each, sender, Hash.default()) for each in ([paid], [moved], [called], [])
    ]
    raw = [bytes(message) for message in messages] + [b"Sign in", bytes(messages[0])[:40]]
    return ["0x" + each.hex() for each in raw]


def signing(story: Story) -> None:
    """Backend wallets sign bytes of every kind, alone and under each type of criteria."""
    project = story.project("bytes")
    signer = Signer(project)
    evm, svm = backend_wallet(signer), backend_wallet(signer, "SVM")
    payloads = ((evm, unsigned_evm()), (svm, unsigned_solana(svm["address"])))

    def sign_all() -> None:
        for wallet, each in payloads:
            for data in each:
                signer.call("POST", f"{BACKEND}/{wallet['id']}/sign", {"data": data})

    sign_all()
    for operation, criterion in CRITERIA:
        if not operation.startswith("sign"):
            continue
        body = {"scope": "project", "rules": [rule(operation, criterion)]}
        policy = project.call("POST", "/v2/policies", body)
        sign_all()
        project.call("DELETE", f"/v2/policies/{policy['id']}")


def bound(story: Story) -> None:
    """Policies that refuse what a backend wallet sends or a sponsor would pay for."""
    for operation, criterion in CRITERIA:
        if operation not in ("sendEvmTransaction", "sponsorEvmTransaction"):
            continue
        project = story.project(f"bound-{story.number('bound')}")
        signer = Signer(project)
        wallet = backend_wallet(signer)
        policy = project.call(
            "POST", "/v2/policies", {"scope": "project", "rules": [rule(operation, criterion)]}
        )
        free = {
            "name": "F",
            "chainId": AMOY,
            "policyId": policy["id"],
            "strategy": {"sponsorSchema": "pay_for_user"},
        }
        sponsor = project.call("POST", "/v2/fee-sponsorship", free).get("id")
        token = contract(project, abi=FUNGIBLE)
        for call in (
            {"to": THERE, "value": "1"},
            {"to": OTHER, "value": "5000"},
            *calls_of(FUNGIBLE, token, wallet["address"])[:3],
        ):
            for more in ({}, {"feeSponsorshipId": sponsor}):
                body = {"chainId": AMOY, "accountId": wallet["id"], "calls": [call], **more}
                row = signer.call("POST", "/v2/transactions", body)
                read(project, row)


def other_chains(story: Story) -> None:
    """Rollups, zkSync chains, and chains that cost otherwise."""
    project = story.project(
        "chains", settings={"chains": {"84532": {"base_fee_wei": 5, "native_price_usd": "3"}}}
    )
    user = sign_up(project)["user"]["id"]
    owner = externally_owned(project, user)
    for chain in (84532, 11155420, 300, 11124, 421614, 97, 999999):
        smart = built_on(project, {**owner, "user": user}, chainId=chain)
        for account in (owner, smart):
            body = {
                "chainId": chain,
                "accountId": account.get("id", "acc_unknown"),
                "calls": [{"to": THERE, "value": "5"}],
            }
            project.call("POST", "/v2/transactions/estimate", body)
            submit(project, project.call("POST", "/v2/transactions", body), body["accountId"])
        older = project.call("POST", "/v1/accounts", {"chainId": chain})
        intent = {"chainId": chain, "account": older.get("id"), "interactions": [{"to": THERE, "value": "5"}]}
        project.call("POST", "/v1/transaction_intents", intent)


def disturbed(story: Story) -> None:
    """A scenario that sets the scene, delays, patches, limits and refuses."""
    project = story.project("disturbed")
    loaded = project.control("POST", "/scenarios", SCENARIO)
    assert loaded.get("id"), json.dumps(loaded)
    for number in range(5):
        for path in ("/v1/contracts", "/v2/users", "/v2/accounts", "/v1/players"):
            project.call("GET", path)
        contract(project, "0x" + f"{number}c" * 20, name=("Token", "Coin")[number % 2])
        project.call("POST", "/v1/players", {"name": "Ada"})
        project.advance(4)


SCENARIO = """
name: many things at once
settings: {starting_balance_wei: 5000000000000000000}
given:
  - call: signUpEmail
    headers: {x-project-key: "${project.publishable_key}"}
    body: {name: Ada, email: ada@example.com, password: correct horse}
    as: ada
  - call: createAccountV2
    body: {user: "${ada.user.id}", accountType: Externally Owned Account, chainType: EVM}
    as: account
rules:
  - when: {call: CreateContract, body: {chainId: 80002, name: {matches: "^Token"}}}
    then: {error: contract_already_exists}
  - when: GetContracts
    then: {patch: {futureMember: true}}
  - when: {call: CreatePlayer}
    then: {limit: {count: 2, per: 10s}}
  - when: {call: CreatePlayer, state: start}
    then: {state: down}
  - when: {call: GetPlayers, state: down}
    then: {answer: 503}
"""

JOURNEYS = (standards, signing, bound, other_chains, disturbed)
