"""What the field deploys, as its packages have it compiled, does on our node what it does on Anvil.

With `TESTS_THOROUGHNESS` each instruction is compared as well.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from eth_account.messages import encode_typed_data
from eth_utils import keccak

from mockserver.chain.addresses import ZERO_ADDRESS
from tests.nodes.anvil.deployed import Contract, Deployer, artifact
from tests.nodes.anvil.judge import CHAIN
from tests.nodes.anvil.pair import Pair
from tests.nodes.anvil.random_calls import SENDERS
from tests.tables import cases

pytestmark = pytest.mark.clients

ALICE, BOB, CAROL = (sender.address for sender in SENDERS)
NEVER, MOST, PRICE = 2**40, 2**256 - 1, 2**97
V2, V2_ROUTER = "@uniswap/v2-core/build", "@uniswap/v2-periphery/build"
V3, V3_ROUTER = "@uniswap/v3-core/artifacts/contracts", "@uniswap/v3-periphery/artifacts/contracts"
SAFE = "@safe-global/safe-smart-account/build/artifacts/contracts"
ACCOUNTS = "@account-abstraction/contracts/artifacts"
PRESETS, GOVERNED = "@openzeppelin/contracts/build/contracts", "@openzeppelin/contracts-5/build/contracts"
ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"


@pytest.fixture
def deployer(pair: Pair) -> Iterator[Deployer]:
    """Deploys on both nodes. In the end nothing must have differed."""
    made = Deployer(pair)
    yield made
    assert not made.wrong, "\n".join(made.wrong[:20])


def tokens(deployer: Deployer, spender: str) -> list[Contract]:
    """Two tokens of Alice's, of which another account may spend all, in the order of their addresses."""
    made = [deployer.deploy(f"{V2_ROUTER}/ERC20.json", 10**30) for _ in range(2)]
    for token in made:
        token.do("approve", spender, MOST)
    return sorted(made, key=lambda token: token.address.lower())


def signed(digest: Any, *signers: int) -> bytes:
    """Signatures of a hash, in the order of those who sign."""
    signatures = b""
    for account in sorted((SENDERS[each] for each in signers), key=lambda each: each.address.lower()):
        made = account.unsafe_sign_hash(digest)
        signatures += made.r.to_bytes(32, "big") + made.s.to_bytes(32, "big") + bytes([made.v])
    return signatures


def permit(pair: Contract, spender: str, value: int) -> tuple[int, bytes, bytes]:
    """What Alice signs for a spender of liquidity."""
    names = {"owner": "address", "spender": "address", "value": "uint256", "nonce": "uint256"}
    types = [{"name": name, "type": type} for name, type in (names | {"deadline": "uint256"}).items()]
    domain = {"name": "Uniswap V2", "version": "1", "chainId": CHAIN, "verifyingContract": pair.address}
    message = {"owner": ALICE, "spender": spender, "value": value, "nonce": 0, "deadline": NEVER}
    data = encode_typed_data(domain, {"Permit": types}, message)
    made = SENDERS[0].sign_message(data)
    return made.v, made.r.to_bytes(32, "big"), made.s.to_bytes(32, "big")


def test_uniswap_v2_trades_as_on_anvil(deployer: Deployer) -> None:
    weth = deployer.deploy(f"{V2_ROUTER}/WETH9.json")
    factory = deployer.deploy(f"{V2}/UniswapV2Factory.json", ALICE)
    router = deployer.deploy(f"{V2_ROUTER}/UniswapV2Router02.json", factory.address, weth.address)
    one, other = (token.address for token in tokens(deployer, router.address))
    router.do("addLiquidity", one, other, 10**20, 3 * 10**20, 0, 0, ALICE, NEVER)
    router.do("addLiquidityETH", one, 10**19, 0, 0, ALICE, NEVER, value=10**18)
    path = [other, one, weth.address]
    router.get("getAmountsOut", 10**18, path)
    router.do("swapExactTokensForTokens", 10**18, 0, [one, other], BOB, NEVER)
    # Behind another swap, in whose block it would need less gas.
    router.do("swapExactTokensForETH", 10**18, 0, path, BOB, NEVER)
    router.do("swapETHForExactTokens", 10**15, path[::-1], CAROL, NEVER, value=10**18)
    router.do("swapExactTokensForTokens", 10**18, 10**30, [one, other], BOB, NEVER)
    router.do("swapExactTokensForTokens", 10**18, 0, [one, other], BOB, 1)
    pool = Contract(deployer, factory.get("getPair", one, other), artifact(f"{V2}/UniswapV2Pair.json")["abi"])
    half = pool.get("balanceOf", ALICE) // 2
    removal = one, other, half, 0, 0, ALICE, NEVER, False, *permit(pool, router.address, half)
    for _ in range(2):
        router.do("removeLiquidityWithPermit", *removal)
    pool.do("swap", 0, 10**16, BOB, b"")
    pool.do("sync")
    pool.get("getReserves")
    pool.get("price0CumulativeLast")


def test_uniswap_v3_trades_as_on_anvil(deployer: Deployer) -> None:
    weth = deployer.deploy(f"{V2_ROUTER}/WETH9.json")
    factory = deployer.deploy(f"{V3}/UniswapV3Factory.sol/UniswapV3Factory.json")
    around = factory.address, weth.address
    router = deployer.deploy(f"{V3_ROUTER}/SwapRouter.sol/SwapRouter.json", *around)
    library = deployer.deploy(f"{V3_ROUTER}/libraries/NFTDescriptor.sol/NFTDescriptor.json")
    name = "NonfungibleTokenPositionDescriptor"
    descriptor = deployer.deploy(
        f"{V3_ROUTER}/{name}.sol/{name}.json",
        weth.address,
        b"ETH".ljust(32, b"\0"),
        NFTDescriptor=library.address,
    )
    name = "NonfungiblePositionManager"
    manager = deployer.deploy(f"{V3_ROUTER}/{name}.sol/{name}.json", *around, descriptor.address)
    quoter = deployer.deploy(f"{V3_ROUTER}/lens/QuoterV2.sol/QuoterV2.json", *around)
    lens = deployer.deploy(f"{V3_ROUTER}/lens/TickLens.sol/TickLens.json")
    one, other = tokens(deployer, router.address)
    for token in (one, other):
        token.do("approve", manager.address, MOST)
    sides = one.address, other.address
    for fee in (500, 3000, 1234):
        manager.do("createAndInitializePoolIfNecessary", *sides, fee, PRICE)
    compiled = artifact(f"{V3}/UniswapV3Pool.sol/UniswapV3Pool.json")
    pool = Contract(deployer, factory.get("getPool", *sides, 3000), compiled["abi"])
    for low, high in ((-887_220, 887_220), (13_800, 13_920), (0, 6000)):
        manager.do("mint", [*sides, 3000, low, high, 10**21, 10**21, 0, 0, ALICE, NEVER])
    manager.do("mint", [*sides, 500, -10_000, 20_000, 10**21, 10**21, 0, 0, ALICE, NEVER])
    pool.do("increaseObservationCardinalityNext", 20)
    for amount in (10**15, 10**21):
        for path in (sides, sides[::-1]):
            quoter.get("quoteExactInputSingle", [*path, amount, 3000, 0])
            router.do("exactInputSingle", [*path, 3000, BOB, NEVER, amount, 0, 0])
    hops = b"\0\x0b\xb8".join(bytes.fromhex(each[2:]) for each in sides)
    router.do("exactInput", [hops, ALICE, NEVER, 10**18, 0])
    router.do("exactOutputSingle", [*sides, 3000, BOB, NEVER, 10**16, 10**25, 0])
    router.do("exactOutputSingle", [*sides, 3000, BOB, NEVER, 10**16, 1, 0])
    for view in ("slot0", "liquidity", "feeGrowthGlobal0X128"):
        pool.get(view)
    pool.get("ticks", 13_800)
    pool.get("observe", [0, 4])
    lens.get("getPopulatedTicksInWord", pool.address, 0)
    manager.get("tokenURI", 1)
    manager.do("collect", [1, ALICE, 2**128 - 1, 2**128 - 1])
    taken = manager.data("decreaseLiquidity", [2, manager.get("positions", 2)[7], 0, 0, NEVER])
    rest = manager.data("collect", [2, ALICE, 2**128 - 1, 2**128 - 1])
    manager.do("multicall", [taken, rest, manager.data("burn", 2)])
    manager.do("burn", 1)


@cases("name", "Safe", "SafeL2")
def test_safes_execute_as_on_anvil(deployer: Deployer, name: str) -> None:
    singleton = deployer.deploy(f"{SAFE}/{name}.sol/{name}.json")
    factory = deployer.deploy(f"{SAFE}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json")
    fallback = "CompatibilityFallbackHandler"
    handler = deployer.deploy(f"{SAFE}/handler/{fallback}.sol/{fallback}.json")
    batches = deployer.deploy(f"{SAFE}/libraries/MultiSend.sol/MultiSend.json")
    none, first = ZERO_ADDRESS, "0x" + "01".zfill(40)
    owners = [ALICE, BOB, CAROL], 2
    init = singleton.data("setup", *owners, none, b"", handler.address, none, 0, none)
    made = factory.do("createProxyWithNonce", singleton.address, init, 7)["logs"][-1]
    safe = singleton.at("0x" + made["topics"][1][-40:])
    deployer.send(safe.address, value=10**18)

    def execute(to: str, value: int, data: bytes = b"", *signers: int, kind: int = 0) -> None:
        call = to, value, data, kind, 0, 0, 0, none, none
        digest = safe.get("getTransactionHash", *call, safe.get("nonce"))
        safe.do("execTransaction", *call, signed(digest, *signers))

    execute(BOB, 10**15, b"", 0, 1)
    execute(BOB, 10**15, b"", 0)
    execute(BOB, 10**19, b"", 0, 2)
    execute(safe.address, 0, safe.data("enableModule", CAROL), 1, 2)
    for sender in (2, 1):
        safe.do("execTransactionFromModule", ALICE, 1, b"", 0, sender=sender)
    parts = ((BOB, 3, b""), (safe.address, 0, safe.data("changeThreshold", 1)), (CAROL, 4, b""))
    packed = b"".join(
        b"\0" + bytes.fromhex(to[2:]) + value.to_bytes(32, "big") + len(data).to_bytes(32, "big") + data
        for to, value, data in parts
    )
    execute(batches.address, 0, batches.data("multiSend", packed), 0, 1, kind=1)
    execute(safe.address, 0, safe.data("swapOwner", first, ALICE, "0x" + "77" * 20), 1)
    safe.get("getOwners")
    handler.at(safe.address).get("getModules")


def test_entry_points_handle_operations_as_on_anvil(deployer: Deployer) -> None:
    entry_point = deployer.deploy(f"{ACCOUNTS}/EntryPoint.json")
    factory = deployer.deploy(f"{ACCOUNTS}/SimpleAccountFactory.json", entry_point.address)
    abi = artifact(f"{ACCOUNTS}/SimpleAccount.json")["abi"]
    account = Contract(deployer, factory.get("getAddress", ALICE, 5), abi)
    entry_point.do("depositTo", account.address, value=10**18)
    init = bytes.fromhex(factory.address[2:]) + factory.data("createAccount", ALICE, 5)
    limits, fees = (
        high.to_bytes(16, "big") + low.to_bytes(16, "big")
        for high, low in ((400_000, 300_000), (10**9, 2 * 10**9))
    )

    def operation(call: bytes, init: bytes = b"", key: int = 0, signer: int = 0) -> list[object]:
        nonce = entry_point.get("getNonce", account.address, key)
        packed = [account.address, nonce, init, call, limits, 60_000, fees, b""]
        return [*packed, signed(entry_point.get("getUserOpHash", [*packed, b""]), signer)]

    sends, fails = (account.data("execute", CAROL, value, b"") for value in (0, 10**20))
    for operations in (
        [operation(sends, init)],
        [operation(sends)],
        [operation(fails)],
        [operation(sends, signer=1)],
        [operation(sends, key=key) for key in range(3, 8)],
    ):
        entry_point.do("handleOps", operations, BOB)
    entry_point.get("getDepositInfo", account.address)
    entry_point.do("addStake", 100, value=5)
    entry_point.do("incrementNonce", 4)


def test_upgrades_and_timelocks_end_as_on_anvil(deployer: Deployer) -> None:
    token = deployer.deploy(f"{PRESETS}/ERC20PresetMinterPauser.json", "Gold", "GLD")
    items = deployer.deploy(f"{PRESETS}/ERC1155PresetMinterPauser.json", "ipfs://{id}")
    proxy = deployer.deploy(f"{GOVERNED}/TransparentUpgradeableProxy.json", token.address, ALICE, b"")
    admin = "0x" + deployer.check("eth_getStorageAt", proxy.address, ADMIN_SLOT, "latest")[-40:]
    upgrades = Contract(deployer, admin, artifact(f"{GOVERNED}/ProxyAdmin.json")["abi"])
    token.at(proxy.address).do("approve", BOB, 5)
    for sender in (1, 0):
        upgrades.do("upgradeAndCall", proxy.address, items.address, b"", sender=sender)
    items.at(proxy.address).do("setApprovalForAll", CAROL, True)
    beacon = deployer.deploy(f"{GOVERNED}/UpgradeableBeacon.json", token.address, ALICE)
    behind = deployer.deploy(f"{GOVERNED}/BeaconProxy.json", beacon.address, b"")
    token.at(behind.address).get("totalSupply")
    timelock = deployer.deploy(f"{GOVERNED}/TimelockController.json", 60, [ALICE], [ZERO_ADDRESS], ALICE)
    beacon.do("transferOwnership", timelock.address)
    upgrade = beacon.address, 0, beacon.data("upgradeTo", items.address), bytes(32), bytes(32)
    timelock.do("schedule", *upgrade, 60)
    for _ in range(2):
        timelock.do("execute", *upgrade, sender=1)
        deployer.mine(40)
    items.at(behind.address).get("balanceOf", ALICE, 1)
    managed = deployer.deploy(f"{GOVERNED}/AccessManager.json", ALICE)
    managed.do("grantRole", 7, BOB, 60)
    managed.do("grantRole", 7, BOB, 60, sender=1)
    vesting = deployer.deploy(f"{GOVERNED}/VestingWallet.json", BOB, 1, 10**10, value=10**18)
    vesting.do("release()")


def test_presets_of_tokens_end_as_on_anvil(deployer: Deployer) -> None:
    token = deployer.deploy(f"{PRESETS}/ERC20PresetMinterPauser.json", "Gold", "GLD")
    token.do("mint", ALICE, 10**20)
    for step in ("pause", "unpause"):
        token.do(step)
        token.do("transfer", BOB, 1)
    token.do("mint", ALICE, 1, sender=1)
    token.do("burn", 10**21)
    items = deployer.deploy(f"{PRESETS}/ERC721PresetMinterPauserAutoId.json", "N", "N", "ipfs://")
    for owner in (ALICE, BOB):
        items.do("mint", owner)
    for number in (0, 1):
        items.do("burn", number)
    several = deployer.deploy(f"{PRESETS}/ERC1155PresetMinterPauser.json", "ipfs://")
    several.do("mintBatch", ALICE, [1, 2], [3, 4], b"")
    several.do("burnBatch", ALICE, [1], [9])
    several.do("grantRole", keccak(text="MINTER_ROLE"), BOB)
    several.do("mintBatch", BOB, [1], [1], b"", sender=1)
