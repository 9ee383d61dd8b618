"""User operations that a bundler is sent, and the paymaster that pays for them."""

from dataclasses import replace
from typing import Any

from eth_account.messages import encode_defunct

from mockserver.chain.account_calls import execute_batch, execute_call
from mockserver.chain.user_operations import ENTRY_POINTS, UserOperation, rpc_shape, user_operation_hash
from mockserver.nodes.evm.blocks import bundle_of
from mockserver.state.chains import UserOperationExecution
from tests.accounts import account_of
from tests.nodes.node import ALICE, BOB, CHAIN, Node, calldata
from tests.tables import cases

V06, V07 = ENTRY_POINTS["0.6"], ENTRY_POINTS["0.7"]
SENDER = "0x" + "5A" * 20
DELEGATE = "0x" + "77" * 20
FACTORY = "0x91E60e0613810449d098b0b5Ec8b51A0FE8c8985"
OPERATION = UserOperation(
    sender=SENDER,
    nonce=0,
    factory=FACTORY,
    factory_data=b"\x5f",
    call_data=execute_call(BOB.address, 5, b""),
    call_gas_limit=100_000,
    verification_gas_limit=400_000,
    pre_verification_gas=50_000,
    max_fee_per_gas=10**9,
    max_priority_fee_per_gas=10**6,
    signature=b"\x01" * 65,
)


GAS_LIMITS = {"callGasLimit", "verificationGasLimit", "preVerificationGas"}


def shape(version: str = "0.7", **changed: Any) -> dict[str, Any]:
    """An operation as a client sends it; None leaves a member out."""
    whole = {**rpc_shape(OPERATION, version), **changed}
    return {name: value for name, value in whole.items() if value is not None}


def authorize() -> dict[str, Any]:
    """The first delegation of an account (EIP-7702), as an operation carries it."""
    signed = ALICE.sign_authorization({"chainId": CHAIN, "address": DELEGATE, "nonce": 0})
    shown = {"address": DELEGATE, "chainId": hex(CHAIN), "nonce": "0x0", "yParity": f"0x0{signed.y_parity}"}
    return {**shown, "r": hex(signed.r), "s": hex(signed.s)}


def funded(node: Node) -> Node:
    node.fund(SENDER)
    return node


def sponsor(node: Node, action: str = "accept", **more: Any) -> str:
    """A fee sponsorship whose policy accepts everything, or rejects it."""
    rule = {"action": action, "operation": "sponsorEvmTransaction", "criteria": []}
    policy = node.api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()
    body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy["id"], **more}
    made: str = node.api.post("/v2/fee-sponsorship", json=body).json()["id"]
    return made


@cases("version", *ENTRY_POINTS)
def test_an_operation_of_an_entry_point_is_bundled(node: Node, version: str) -> None:
    funded(node)
    entry_point = ENTRY_POINTS[version]
    sent = node.bundle("eth_sendUserOperation", shape(version), entry_point)
    assert sent == "0x" + user_operation_hash(OPERATION, version, CHAIN).hex()
    receipt = node.bundle("eth_getUserOperationReceipt", sent)
    assert (receipt["success"], receipt["entryPoint"], receipt["nonce"]) == (True, entry_point, "0x0")
    assert receipt["receipt"] == node.ask("eth_getTransactionReceipt", receipt["receipt"]["transactionHash"])
    assert receipt["receipt"]["to"] == entry_point.lower()
    found = node.bundle("eth_getUserOperationByHash", sent)
    assert found["userOperation"]["callData"] == shape()["callData"]
    assert found["transactionHash"] == receipt["receipt"]["transactionHash"]
    status = node.bundle("pimlico_getUserOperationStatus", sent)
    assert status == {"status": "included", "transactionHash": found["transactionHash"]}
    assert node.number("eth_getBalance", BOB.address) == 5
    assert node.number("eth_getBalance", SENDER) == 10**18 - 5 - int(receipt["actualGasCost"], 16)
    assert node.ask("eth_getCode", SENDER) != "0x"


@cases(
    "changed, code, message",
    ({"nonce": "0x1"}, -32500, "AA25 invalid account nonce"),
    ({"factory": None, "factoryData": None}, -32500, "AA20"),
    ({"signature": "0x"}, -32500, "AA23"),
    ({"callGasLimit": hex(2**80)}, -32500, "AA21"),
    ({"paymaster": "0x" + "11" * 20, "paymasterData": "0x"}, -32501, "AA30"),
    ({"maxPriorityFeePerGas": hex(10**9 + 1)}, -32602, "maxPriorityFeePerGas"),
    ({"callGasLimit": hex(2**200)}, -32602, "128 bits"),
    ({"sender": None}, -32602, "sender"),
    ({"preVerificationGas": "0x0"}, -32602, "preVerificationGas"),
    ({"callGasLimit": None}, -32602, "callGasLimit"),
    ({"factory": None}, -32602, "factory"),
    ({"paymasterData": "0x12"}, -32602, "paymaster"),
    ({"paymasterPostOpGasLimit": "0x1"}, -32602, "paymaster"),
)
def test_an_operation_that_would_fail_is_refused(
    node: Node, changed: dict[str, Any], code: int, message: str
) -> None:
    funded(node)
    error = node.bundle("eth_sendUserOperation", shape(**changed), V07)
    assert error["code"] == code
    assert message in error["message"]
    assert node.number("eth_getBalance", SENDER) == 10**18
    paid = shape(maxPriorityFeePerGas=hex(10**9))
    assert node.bundle("eth_sendUserOperation", paid, V07).startswith("0x")


def test_a_bundle_has_the_gas_of_all_limits_of_its_operation() -> None:
    names = [name for name in UserOperation.__slots__ if "gas_limit" in name or "verification_gas" in name]
    limits = {name: 2**exponent for exponent, name in enumerate(names)}
    execution = UserOperationExecution("0.7", replace(OPERATION, **limits), b"")
    assert bundle_of(execution, 84532).gas == 2**5 - 1


def test_the_trace_of_a_bundle_has_all_calls(node: Node) -> None:
    funded(node).ask("anvil_setCode", DELEGATE, "0x5f5fa060205ff3")
    calls = [(BOB.address, 5, b""), (DELEGATE, 0, b"\x12"), (ALICE.address, 6, b"")]
    sent = node.bundle("eth_sendUserOperation", shape(callData="0x" + execute_batch(calls).hex()), V07)
    receipt = node.bundle("eth_getUserOperationReceipt", sent)["receipt"]
    traced = node.ask("debug_traceTransaction", receipt["transactionHash"], {"tracer": "callTracer"})
    assert (traced["type"], traced["from"], traced["to"]) == ("CALL", receipt["from"], receipt["to"])
    assert (traced["value"], traced["gasUsed"], traced.get("error")) == ("0x0", receipt["gasUsed"], None)
    made = [(each["from"], each["to"], int(each["value"], 16)) for each in traced["calls"]]
    assert made == [(SENDER.lower(), to.lower(), value) for to, value, _ in calls]
    assert traced["calls"][1]["output"] == "0x" + "00" * 32
    listed = node.ask("trace_transaction", receipt["transactionHash"])
    assert [each["traceAddress"] for each in listed] == [[], [0], [1], [2]]
    assert node.ask("trace_block", receipt["blockNumber"]) == listed


def test_an_account_with_code_of_its_own_is_called(node: Node) -> None:
    # LOG0 of nothing, and a word of zeros is returned.
    node.ask("anvil_setCode", DELEGATE, "0x5f5fa060205ff3")
    node.fund(DELEGATE)
    own = shape(sender=DELEGATE, factory=None, factoryData=None, callData="0x12345678")
    receipt = node.bundle("eth_getUserOperationReceipt", node.bundle("eth_sendUserOperation", own, V07))
    logged = [log["address"] for log in receipt["logs"]]
    assert (receipt["success"], logged.count(DELEGATE.lower())) == (True, 1)


def test_an_entry_point_that_is_none_is_refused(node: Node) -> None:
    assert node.bundle("eth_supportedEntryPoints") == [*ENTRY_POINTS.values()][::-1]
    assert "is not supported" in node.bundle("eth_sendUserOperation", shape(), SENDER)["message"]


def test_nonces_count_for_each_key(node: Node) -> None:
    funded(node)
    key = 7 << 64
    first = node.bundle("eth_sendUserOperation", shape(nonce=hex(key)), V07)
    assert first.startswith("0x")
    again = shape(nonce=hex(key), factory=None, factoryData=None)
    assert "AA25" in node.bundle("eth_sendUserOperation", again, V07)["message"]
    assert node.bundle("eth_sendUserOperation", {**again, "nonce": hex(key + 1)}, V07).startswith("0x")
    assert node.bundle("eth_sendUserOperation", {**again, "nonce": "0x0"}, V07).startswith("0x")
    data = "0x35567e1a" + SENDER[2:].lower().rjust(64, "0") + f"{7:064x}"
    assert node.number("eth_call", {"to": V07, "data": data}) == key + 2


def test_what_its_calls_revert_with_is_told(node: Node) -> None:
    token = node.deploy_token()
    funded(node)
    data = bytes.fromhex(calldata("transfer", BOB.address, 5)[2:])
    changed = {"callData": "0x" + execute_call(token, 0, data).hex()}
    error = node.bundle("eth_estimateUserOperationGas", shape(**changed), V07)
    assert error["code"] == -32521
    assert "ERC20InsufficientBalance" in error["message"]
    sent = node.bundle("eth_sendUserOperation", shape(**changed), V07)
    receipt = node.bundle("eth_getUserOperationReceipt", sent)
    assert (receipt["success"], receipt["receipt"]["status"]) == (False, "0x1")
    assert node.bundle("eth_getUserOperationByHash", sent)["transactionHash"] is not None
    assert "ERC20InsufficientBalance" in receipt["reason"]


@cases("unknown", "0x0", None)
def test_estimated_limits_are_enough(node: Node, unknown: str | None) -> None:
    funded(node)
    limits = node.bundle("eth_estimateUserOperationGas", shape(**dict.fromkeys(GAS_LIMITS, unknown)), V07)
    assert set(limits) == GAS_LIMITS
    sent = node.bundle("eth_sendUserOperation", shape(**limits), V07)
    assert node.bundle("eth_getUserOperationReceipt", sent)["success"] is True


def test_a_nonce_that_is_not_the_next_one_has_no_estimate(node: Node) -> None:
    error = node.bundle("eth_estimateUserOperationGas", shape(nonce="0x7"), V07)
    assert error == {"code": -32500, "message": "AA25 invalid account nonce"}


def test_a_paymaster_that_does_not_exist_has_no_estimate(node: Node) -> None:
    unknown = shape(paymaster="0x" + "11" * 20, paymasterData="0x")
    error = node.bundle("eth_estimateUserOperationGas", unknown, V07)
    data = {"paymaster": unknown["paymaster"]}
    assert error == {"code": -32501, "message": "AA30 paymaster not deployed", "data": data}


@cases("version", "0.6", "0.7", "0.9")
def test_a_sponsorship_pays_what_its_paymaster_has_approved(node: Node, version: str) -> None:
    named, entry_point = sponsor(node), ENTRY_POINTS[version]
    context = {"policyId": named}
    stub = node.bundle("pm_getPaymasterStubData", shape(version), entry_point, hex(CHAIN), context)
    members = {name: value for name, value in stub.items() if name.startswith("paymaster")}
    assert stub["isFinal"] is False
    asked = shape(version, **members)
    final = node.bundle("pm_getPaymasterData", asked, entry_point, hex(CHAIN), context)
    assert {name: len(value) for name, value in final.items()} == {name: len(members[name]) for name in final}
    nothing = execute_call(BOB.address, 0, b"")
    without_value = {**asked, "callData": "0x" + nothing.hex()}
    refused = node.bundle("eth_sendUserOperation", {**without_value, **final}, entry_point)
    assert (refused["code"], refused["message"][:4]) == (-32507, "AA34")
    final = node.bundle("pm_getPaymasterData", without_value, entry_point, hex(CHAIN), context)
    sent = node.bundle("eth_sendUserOperation", {**without_value, **final}, entry_point)
    receipt = node.bundle("eth_getUserOperationReceipt", sent)
    assert receipt["success"] is True
    assert node.number("eth_getBalance", SENDER) == 0
    spent = node.project.guardrails.sponsor_accounts.get(named)
    assert spent is not None


def test_an_approval_expires(node: Node) -> None:
    sponsor(node)
    operation = shape(callData="0x" + execute_call(BOB.address, 0, b"").hex())
    final = node.bundle("pm_sponsorUserOperation", operation, V07)
    named = {"paymaster", "paymasterData", "paymasterVerificationGasLimit", "paymasterPostOpGasLimit"}
    assert set(final) - {"isFinal", "sponsor"} == named | GAS_LIMITS
    node.ask("evm_increaseTime", 3601)
    error = node.bundle("eth_sendUserOperation", {**operation, **final}, V07)
    assert (error["code"], error["message"][:4]) == (-32503, "AA32")


def test_without_a_sponsorship_nothing_is_approved(node: Node) -> None:
    error = node.bundle("pm_getPaymasterStubData", shape(), V07, hex(CHAIN), None)
    assert (error["code"], "no fee sponsorship" in error["message"]) == (-32501, True)
    error = node.bundle("pm_getPaymasterData", shape(), V07, hex(CHAIN), {"policyId": "pol_none"})
    assert "pol_none" in error["message"]
    sponsor(node, chainId=80002)
    assert node.api.put(f"/v2/fee-sponsorship/{sponsor(node)}/disable").is_success
    assert node.api.delete(f"/v2/fee-sponsorship/{sponsor(node)}").is_success
    error = node.bundle("pm_getPaymasterStubData", shape(), V07, hex(CHAIN), None)
    assert "no fee sponsorship is enabled" in error["message"]


@cases("member", "policyId", "token")
def test_a_context_that_is_no_text_is_named(node: Node, member: str) -> None:
    error = node.bundle("pm_getPaymasterData", shape(), V07, hex(CHAIN), {member: 5})
    assert error["message"].startswith(f"invalid argument 3: context: {member}: ")


def test_what_the_policy_rejects_is_not_approved(node: Node) -> None:
    funded(node)
    sponsor(node, "reject")
    error = node.bundle("pm_getPaymasterStubData", shape(), V07, hex(CHAIN), None)
    assert (error["code"], "rejects" in error["message"]) == (-32501, True), error


def test_an_account_that_has_delegated_signs_by_its_own_key(node: Node) -> None:
    node.fund(ALICE.address)
    version, auth = "0.8", authorize()
    operation = UserOperation(
        **{
            **{name: getattr(OPERATION, name) for name in OPERATION.__slots__},
            "sender": ALICE.address,
            "factory": "0x7702",
            "factory_data": b"",
            "eip7702_auth": DELEGATE,
        }
    )
    hashed = user_operation_hash(operation, version, CHAIN)
    sent = {**rpc_shape(operation, version), "eip7702Auth": auth}
    entry_point = ENTRY_POINTS[version]
    assert "AA24" in node.bundle("eth_sendUserOperation", sent, entry_point)["message"]
    signed = ALICE.unsafe_sign_hash(hashed).signature.to_0x_hex()
    other = node.bundle("eth_sendUserOperation", {**sent, "sender": BOB.address}, entry_point)
    assert "signed by" in other["message"]
    assert (
        node.bundle("eth_sendUserOperation", {**sent, "signature": signed}, entry_point)
        == "0x" + hashed.hex()
    )
    assert node.ask("eth_getCode", ALICE.address) == "0xef0100" + DELEGATE[2:]
    # From now on the marker stands for what the account has delegated to: the hash holds its address.
    later = replace(operation, nonce=1)
    hashed = user_operation_hash(later, version, CHAIN)
    signature = ALICE.unsafe_sign_hash(hashed).signature.to_0x_hex()
    sent = {**rpc_shape(later, version), "signature": signature}
    for factory in ("0x7702", "0x7702" + "0" * 36):
        assert node.bundle("eth_estimateUserOperationGas", {**sent, "factory": factory}, entry_point)[
            "callGasLimit"
        ]
    assert node.bundle("eth_sendUserOperation", sent, entry_point) == "0x" + hashed.hex()
    assert (
        node.bundle("eth_getUserOperationByHash", "0x" + hashed.hex())["userOperation"]["factory"] == "0x7702"
    )


@cases(
    "fate, code, message",
    ({"code": "AA21"}, -32500, "AA21"),
    ({"code": "AA33"}, -32501, "AA33"),
    ({"reason": "too busy"}, -32500, "too busy"),
)
def test_a_fate_has_the_bundler_refuse(node: Node, fate: dict[str, str], code: int, message: str) -> None:
    funded(node)
    path = f"/_mock/projects/{node.project.id}/fates"
    node.api.post(path, json={"outcome": "failed", "count": 2, **fate}).raise_for_status()
    refused = [node.bundle("eth_sendUserOperation", shape(), V07) for _ in range(2)]
    assert {each["code"] for each in refused} == {code}
    assert all(each["message"].startswith(message) for each in refused)
    sent = node.bundle("eth_sendUserOperation", shape(), V07)
    assert node.bundle("eth_getUserOperationReceipt", sent)["success"]
    assert node.api.get(path).json()["data"] == []


def test_an_operation_that_is_stuck_holds_up_its_own_key(node: Node) -> None:
    funded(node)
    node.bundle("eth_sendUserOperation", shape(), V07)
    node.api.post(f"/_mock/projects/{node.project.id}/fates", json={"outcome": "never_mined"})
    nonces = (1, 2, 5 << 64)
    sent = [
        node.bundle("eth_sendUserOperation", shape(nonce=hex(each), factory=None, factoryData=None), V07)
        for each in nonces
    ]
    statuses = [node.bundle("pimlico_getUserOperationStatus", each)["status"] for each in sent]
    assert statuses == ["submitted", "submitted", "included"]


def test_an_operation_replaces_one_that_offers_less(node: Node) -> None:
    funded(node).bundle("debug_bundler_setBundlingMode", "manual")
    first = node.bundle("eth_sendUserOperation", shape(), V07)
    fees = {"maxFeePerGas": hex(2 * 10**9)}
    refused = node.bundle("eth_sendUserOperation", shape(**fees), V07)
    assert refused["message"] == "replacement transaction underpriced"
    second = node.bundle("eth_sendUserOperation", shape(**fees, maxPriorityFeePerGas=hex(2 * 10**6)), V07)
    node.bundle("debug_bundler_sendBundleNow")
    shown = [node.bundle("pimlico_getUserOperationStatus", each)["status"] for each in (first, second)]
    assert shown == ["rejected", "included"]
    assert node.bundle("eth_getUserOperationByHash", first) is None
    later = shape(nonce="0x1", factory=None, factoryData=None)
    assert node.bundle("eth_sendUserOperation", later, V07).startswith("0x")


def test_an_operation_is_sent_and_its_receipt_waited_for(node: Node) -> None:
    funded(node)
    receipt = node.bundle("pimlico_sendUserOperationNow", shape(), V07)
    assert receipt == node.bundle("eth_getUserOperationReceipt", receipt["userOpHash"])
    assert receipt["success"]


@cases("version", *ENTRY_POINTS)
def test_an_operation_delegates_without_the_marker(node: Node, version: str) -> None:
    node.fund(ALICE.address)
    operation = replace(OPERATION, sender=ALICE.address, factory=None, factory_data=b"")
    hashed = user_operation_hash(operation, version, CHAIN)
    signature = ALICE.unsafe_sign_hash(hashed).signature.to_0x_hex()
    sent = {**rpc_shape(operation, version), "signature": signature}
    entry_point = ENTRY_POINTS[version]
    assert "AA20" in node.bundle("eth_sendUserOperation", sent, entry_point)["message"]
    sent["eip7702Auth"] = {**authorize(), "r": "0x" + "ff" * 15 + "00" * 17}
    assert node.bundle("eth_estimateUserOperationGas", sent, entry_point)["callGasLimit"]
    sent["eip7702Auth"] = authorize()
    assert node.bundle("eth_sendUserOperation", sent, entry_point) == "0x" + hashed.hex()
    assert node.ask("eth_getCode", ALICE.address) == "0xef0100" + DELEGATE[2:]
    assert node.bundle("eth_getUserOperationReceipt", "0x" + hashed.hex())["success"]
    shown = node.bundle("eth_getUserOperationByHash", "0x" + hashed.hex())["userOperation"]
    assert (shown.get("factory"), shown.get("initCode", "0x")) == (None, "0x")


@cases("version", "0.7", "0.8")
def test_the_marker_of_a_delegation_needs_one(node: Node, version: str) -> None:
    node.fund(ALICE.address)
    sent = shape(sender=ALICE.address, factory="0x7702", factoryData=None)
    refused = node.bundle("eth_sendUserOperation", sent, ENTRY_POINTS[version])
    assert refused["code"] == -32602
    assert "eip7702Auth: is required" in refused["message"]


def test_calls_that_move_too_much_are_reverted(node: Node) -> None:
    funded(node)
    data = execute_call(BOB.address, 2 * 10**18, b"")
    sent = node.bundle("eth_sendUserOperation", shape(callData="0x" + data.hex()), V07)
    receipt = node.bundle("eth_getUserOperationReceipt", sent)
    assert (receipt["success"], "insufficient balance" in receipt["reason"]) == (False, True)
    assert node.number("eth_getBalance", SENDER) == 10**18 - int(receipt["actualGasCost"], 16)


@cases(
    "signature, refused",
    (b"\x01" * 20, "AA23"),
    (b"\xff" * 65, "AA23"),
    (bytes(ALICE.sign_message(encode_defunct(b"x")).signature), "AA24"),
)
def test_a_smart_account_reverts_for_what_is_no_signature(node: Node, signature: bytes, refused: str) -> None:
    account = account_of(node.project, "Simple", chain=CHAIN)
    given = {"sender": account.address, "signature": "0x" + signature.hex()}
    assert node.bundle("eth_sendUserOperation", shape(**given), V07)["message"][:4] == refused


def test_bundling_by_hand(node: Node) -> None:
    funded(node)
    assert node.bundle("debug_bundler_setBundlingMode", "manual") == "ok"
    sent = node.bundle("eth_sendUserOperation", shape(), V07)
    assert node.bundle("eth_getUserOperationReceipt", sent) is None
    assert node.bundle("openfort_getUserOperationStatus", sent)["status"] == "submitted"
    dumped = [node.bundle("debug_bundler_dumpMempool", *each) for each in ([], [V07], [V06])]
    assert [len(operations) for operations in dumped] == [1, 1, 0]
    assert node.ask("txpool_status")["pending"] == "0x0"
    assert node.bundle("debug_bundler_sendBundleNow").startswith("0x")
    assert node.bundle("eth_getUserOperationReceipt", sent)["success"] is True
    later = shape(nonce="0x1", factory=None, factoryData=None)
    node.bundle("eth_sendUserOperation", later, V07)
    assert node.bundle("debug_bundler_clearState") == "ok"
    assert node.bundle("debug_bundler_dumpMempool") == []
    assert node.bundle("eth_sendUserOperation", later, V07).startswith("0x")


def test_a_filter_of_transactions_has_a_bundle_once_it_is_sent(node: Node) -> None:
    funded(node)
    node.bundle("debug_bundler_setBundlingMode", "manual")
    node.bundle("eth_sendUserOperation", shape(), V07)
    polled = node.ask("eth_newPendingTransactionFilter")
    assert node.ask("eth_getFilterChanges", polled) == []
    bundle = node.bundle("debug_bundler_sendBundleNow")
    assert node.ask("eth_getFilterChanges", polled) == [bundle]
    assert node.ask("eth_getFilterChanges", polled) == []


def test_the_lists_of_the_api_are_without_a_bundlers_operations(node: Node) -> None:
    funded(node)
    node.bundle("eth_sendUserOperation", shape(), V07)
    assert node.api.get("/v2/transactions").json()["data"] == []
    assert node.api.get("/v1/transaction_intents").json()["data"] == []


def ask_for_assets(node: Node, account: str, **filters: Any) -> Any:
    """The assets of an account by chain, as a user of the project asks for them."""
    user = {"email": "ada@example.com", "password": "correct horse", "name": "Ada"}
    key = {"x-project-key": node.project.publishable_key}
    token = node.api.post("/iam/v2/auth/sign-up/email", json=user, headers=key).json()["token"]
    body = {"id": 1, "method": "wallet_getAssets", "params": {"account": account, **filters}}
    headers = {"authorization": f"Bearer {token}", **key}
    return node.api.post("/rpc", json=body, headers=headers).json()["result"]


def test_a_wallet_has_coins_on_the_chain_of_its_account(node: Node) -> None:
    account = node.api.post("/v1/accounts", json={"chainId": 80002}).json()["address"]
    assert set(ask_for_assets(node, account)) == {hex(80002), hex(CHAIN)}


def test_a_wallet_lists_the_assets_that_are_named(node: Node) -> None:
    token, other = "0x" + "ab" * 20, "0x" + "cd" * 20
    held = {"tokens": [{"contract": token, "balance": "7"}, {"contract": other, "balance": "8"}]}
    node.api.put(f"/_mock/projects/-/chains/{CHAIN}/addresses/{BOB.address}", json=held)
    named = {hex(CHAIN): [{"address": token, "type": "erc20"}], hex(80002): []}
    found = ask_for_assets(node, BOB.address, assetFilter=named, assetTypeFilter=["native"])
    assert [each["balance"] for each in found.pop(hex(CHAIN))] == ["0x7"]
    assert found == {hex(80002): []}


def test_a_wallet_lists_assets(node: Node) -> None:
    user = {"email": "ada@example.com", "password": "correct horse", "name": "Ada"}
    key = {"x-project-key": node.project.publishable_key}
    token = node.api.post("/iam/v2/auth/sign-up/email", json=user, headers=key).json()["token"]
    node.fund(BOB.address, 5)
    body = {"id": 1, "method": "wallet_getAssets", "params": {"account": BOB.address}}
    asked = {
        "id": 1,
        "method": "wallet_getAssets",
        "params": [{"account": BOB.address, "chainFilter": [hex(CHAIN)]}],
    }
    headers = {"authorization": f"Bearer {token}", **key}
    (native,) = node.api.post("/rpc", json=asked, headers=headers).json()["result"][hex(CHAIN)]
    assert (native["type"], native["balance"], native["metadata"]["decimals"]) == ("native", "0x5", 18)
    held = [{"contract": "0x" + "ab" * 20, "balance": "7"}]
    held.append({"contract": "0x" + "cd" * 20, "balance": "1", "token_id": "9"})
    node.api.put(f"/_mock/projects/-/chains/{CHAIN}/addresses/{BOB.address}", json={"tokens": held})
    for kind, balance, token_id in (("erc20", "0x7", None), ("erc721", "0x1", "0x9")):
        asked["params"] = [{"account": BOB.address, "assetTypeFilter": [kind]}]
        (found,) = node.api.post("/rpc", json=asked, headers=headers).json()["result"][hex(CHAIN)]
        shown = found["type"], found["balance"], found["metadata"].get("tokenId")
        assert shown == (kind, balance, token_id)
        assert (found["metadata"]["name"], found["metadata"]["symbol"]) == ("", "")
    assert {*node.api.post("/rpc", json=body, headers=headers).json()["result"]} == {hex(CHAIN)}
    refused = node.api.post("/rpc", json={**body, "params": {"request": {}}}, headers=headers).json()["error"]
    assert (refused["code"], "account" in refused["message"]) == (-32602, True)
    able = {"atomic": {"status": "supported"}, "paymasterService": {"supported": True}}
    for chains in ((), ([hex(CHAIN), "0x1"],)):
        # Those of live keys are not there for test keys.
        assert node.bundle("wallet_getCapabilities", BOB.address, *chains) == {hex(CHAIN): able}
