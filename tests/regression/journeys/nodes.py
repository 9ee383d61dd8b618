"""JSON-RPC: a node, a bundler and a wallet."""

from tests.regression.story import Story

CHAIN = 84532
ACCOUNT, OTHER = "0x" + "a1" * 20, "0x" + "b2" * 20
# PUSH1 7, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
SEVEN = "0x60075f5260205ff3"


def nodes(story: Story) -> None:
    """A chain that is asked, changed and moved on; user operations that are refused."""
    project = story.project("nodes")
    path = f"/_mock/projects/{project.id}/chains/{CHAIN}/rpc"
    transfer = {"from": ACCOUNT, "to": OTHER, "value": "0x5"}
    for method, *params in (
        ("eth_chainId",),
        ("anvil_setBalance", ACCOUNT, hex(10**18)),
        ("anvil_setCode", OTHER, SEVEN),
        ("eth_call", {"to": OTHER}, "latest"),
        ("eth_estimateGas", transfer),
        ("anvil_impersonateAccount", ACCOUNT),
        ("eth_sendTransaction", transfer),
        ("eth_getBalance", OTHER, "latest"),
        ("eth_getBlockByNumber", "latest", True),
        ("eth_getLogs", {}),
        ("evm_snapshot",),
        ("evm_increaseTime", 60),
        ("evm_revert", "0x1"),
        ("eth_getBalance", "0x12"),
        ("eth_nothing",),
    ):
        project.call("POST", path, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    project.call("POST", path, [{"id": 1, "method": "eth_blockNumber"}, {"id": 2, "method": "net_version"}])
    for method, *params in (
        ("eth_supportedEntryPoints",),
        ("pimlico_getUserOperationGasPrice",),
        ("eth_sendUserOperation", {"sender": ACCOUNT}, OTHER),
    ):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        project.call("POST", f"/rpc/{CHAIN}", body, project.publishable)
    unknown = {"jsonrpc": "2.0", "id": 1, "method": "wallet_nothing"}
    ada = {"email": "ada@example.com", "password": "correct horse", "name": "Ada"}
    signed_up = project.call("POST", "/iam/v2/auth/sign-up/email", ada, project.visitor)
    user = {"authorization": f"Bearer {signed_up['token']}", "x-project-key": project.publishable_key}
    assets = {"jsonrpc": "2.0", "id": 1, "method": "wallet_getAssets", "params": [{"account": ACCOUNT}]}
    for body in (unknown, assets):
        project.call("POST", "/rpc", body, user)
    project.call("POST", f"/rpc/{CHAIN}", unknown, project.publishable)


def solana(story: Story) -> None:
    """A cluster that is asked, and Kora."""
    project = story.project("solana-nodes")
    path, address = f"/_mock/projects/{project.id}/solana/devnet/rpc", "1" * 31 + "2"
    for method, *params in (
        ("getSlot",),
        ("requestAirdrop", address, 10**9),
        ("getBalance", address),
        ("getSignaturesForAddress", address),
        ("getTransaction", "1"),
        ("getBalance", "0"),
    ):
        project.call("POST", path, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    project.call("POST", path, [{"id": 1, "method": "getHealth"}, {"id": 2, "method": "getNothing"}])
    for method in ("getConfig", "getPayerSigner", "getBlockhash", "getNothing"):
        body = {"jsonrpc": "2.0", "id": 1, "method": method}
        project.call("POST", "/rpc/solana/devnet", body, project.publishable)
    project.call("POST", "/rpc/solana/devnet", [{"id": 1, "method": "getVersion"}], project.publishable)


JOURNEYS = (nodes, solana)
