"""Random user operations, and what comes of each beside code and beside the native doubles."""

from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

from mockserver.chain.abi.functions import Function, decode_call, decode_values, encode_call, parse_function
from mockserver.chain.abi.reverts import encode_reason
from mockserver.chain.account_calls import execute_batch, execute_call
from mockserver.chain.user_operations import UserOperation, rpc_shape, user_operation_hash
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest
from mockserver.domain.wallets.keys import custody
from tests.chain.evm.machines import CONTRACTS
from tests.entry_points.sides import COUNTER, ETHER, FACTORY, REVERTS, SALTS, TOKEN, Side

THERE = "0x" + "22" * 20
NOWHERE = "0x" + "99" * 20
FLAWS = (
    "nonce of the past",
    "nonce of the future",
    "signature of another key",
    "short signature",
    "no signature",
    "factory again",
    "no factory",
    "no funds",
    "paymaster without code",
    "priority fee above the fee",
)
_BATCHES = {"0.6": "executeBatch(address[],bytes[])", "0.8": "executeBatch((address,uint256,bytes)[])"}
# Of gas, which the doubles only estimate, and of what accounts and deposits do around an operation.
_DEPOSITED = "0x2da466a7b24304f47e87fa2e1e5a81b9831ce54fec19055ce277ca2f39ba42c4"
_OPERATION_EVENT = "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f"


_REVERT_REASON = "0x1c4fada7374c0a9ee8841fc38afe82932dc0f8e69012e927f061a8bae611a201"
_EXECUTE_ERROR = Function.parse("ExecuteError(uint256,bytes)")
# The double says why coins could not be moved; code reverts with nothing then.
_TOO_POOR = encode_reason("insufficient balance for transfer")


class Drawn(NamedTuple):
    """A user operation, as far as it is the same on both sides."""

    salt: int | None
    """Which account of the factory sends it; None for the account of the project."""
    key: int
    calls: tuple[tuple[str, int, bytes], ...]
    is_sponsored: bool
    flaw: str | None


class Outcome(NamedTuple):
    """What came of a user operation, but for gas."""

    estimated: int | None
    """The code of the error of an estimate; None if it was made."""
    refused: str | None
    """The AA code, or the error of JSON-RPC."""
    success: bool | None = None
    nonce: int | None = None
    events: tuple[Any, ...] = ()
    state: tuple[Any, ...] = ()


def data_of(contract: str, function: str, *arguments: object) -> bytes:
    """The data of a call."""
    entries = [entry for entry in CONTRACTS[contract]["abi"] if entry.get("name") == function]
    return encode_call(parse_function(entries[0]), arguments)


def draw(random: Random) -> Drawn:
    """An operation that may be wrong in one way."""
    count = random.choice([1, 1, 1, 2, 3])
    calls = tuple(_draw_call(random) for _ in range(count))
    flaw = random.choice(FLAWS) if random.random() < 0.4 else None
    # Whose an account is that the project does not have is not known without code: any signature will do.
    is_own = flaw is not None and flaw.endswith(("of another key", "short signature"))
    salt = None if is_own else random.choice([None, None, random.randrange(SALTS)])
    return Drawn(salt, random.choice([0, 0, 0, 7]), calls, random.random() < 0.2, flaw)


def _draw_call(random: Random) -> tuple[str, int, bytes]:
    there = random.choice([THERE, "0x" + random.randbytes(20).hex()])
    amount = random.choice([0, 1, 5, 400, 10**6])
    return random.choice(
        [
            (there, random.choice([0, 1, 10**12]), b""),
            (there, 2 * ETHER, b""),
            (there, 0, random.randbytes(8)),
            (TOKEN, 0, data_of("Token", "transfer", there, amount)),
            (TOKEN, 0, data_of("Token", "approve", there, amount)),
            (COUNTER, 0, data_of("Counter", "increment")),
            (COUNTER, 0, data_of("Counter", "add", amount)),
            (COUNTER, 1, data_of("Counter", "increment")),
            (COUNTER, 0, b"\x01\x02\x03\x04"),
            (REVERTS, 0, data_of("Reverts", random.choice(["plain", "text", "custom", "panicAssert"]))),
        ]
    )


def perform(side: Side, drawn: Drawn) -> Outcome:
    """Send an operation, and see what came of it."""
    operation = complete(side, drawn)
    shape = rpc_shape(operation, side.version)
    estimate = side.bundle("eth_estimateUserOperationGas", shape, side.entry_point)
    estimated = None if drawn.flaw else estimate.get("code")
    answer = side.bundle("eth_sendUserOperation", shape, side.entry_point)
    state = state_of(side, operation.sender, drawn.key)
    if isinstance(answer, dict):
        message = answer["message"]
        refused = message[:4] if message.startswith("AA") else f"{answer['code']} {message}"
        return Outcome(estimated, refused, state=state)
    receipt = side.bundle("eth_getUserOperationReceipt", answer)
    side.paid[operation.sender] = side.paid.get(operation.sender, 0) + (
        0 if operation.paymaster else int(receipt["actualGasCost"], 16)
    )
    events = tuple(filter(None, (_event(log, operation.sender) for log in receipt["logs"])))
    state = state_of(side, operation.sender, drawn.key)
    return Outcome(estimated, None, receipt["success"], int(receipt["nonce"], 16), events, state)


def state_of(side: Side, sender: str, key: int) -> tuple[Any, ...]:
    """Nonces, and balances with what was paid for gas and what is left of deposits."""
    coins = int(side.node("eth_getBalance", sender), 16) + side.paid.get(sender, 0)
    if side.has_code:
        coins += side.deposit_of(sender)
    tokens = side.read(TOKEN, data_of("Token", "balanceOf", sender))
    return (
        side.nonce_of(sender),
        side.nonce_of(sender, key),
        coins,
        int(side.node("eth_getBalance", THERE), 16),
        tokens,
        side.read(COUNTER, data_of("Counter", "count")),
        side.node("eth_getCode", sender) != "0x",
    )


def _event(log: Any, sender: str) -> tuple[Any, ...] | None:
    topics, data = tuple(log["topics"]), log["data"]
    if topics[0] == _DEPOSITED or log["address"] == sender.lower():
        return None
    if topics[0] == _REVERT_REASON:
        data = _reason_of(data)
        if data in (b"", _TOO_POOR):
            return None
    # The cost and the gas are the last two words.
    return log["address"], topics[:1] + topics[2:], data[:130] if topics[0] == _OPERATION_EVENT else data


def _reason_of(data: str) -> bytes:
    """The revert data of an operation, without what SimpleAccount 0.8 adds in a batch."""
    _, reason = decode_values(["uint256", "bytes"], bytes.fromhex(data[2:]))
    assert isinstance(reason, bytes)
    if reason[:4] == _EXECUTE_ERROR.selector:
        _, reason = decode_call(_EXECUTE_ERROR, reason)
        assert isinstance(reason, bytes)
    return reason


def complete(side: Side, drawn: Drawn) -> UserOperation:
    owner, flaw = side.account.signing_address, drawn.flaw
    sender = side.account.address if drawn.salt is None else side.factory_accounts[drawn.salt]
    exists = side.node("eth_getCode", sender) != "0x"
    has_factory = exists if flaw == "factory again" else (not exists and flaw != "no factory")
    making = bytes.fromhex(f"5fbfb9cf{owner[2:].lower():0>64}{drawn.salt or 0:064x}")
    nonce = side.nonce_of(sender, drawn.key)
    if flaw == "nonce of the past":
        nonce = max(drawn.key << 64, nonce - 1)
    operation = UserOperation(
        sender=sender,
        nonce=nonce + (flaw == "nonce of the future"),
        factory=FACTORY if has_factory else None,
        factory_data=making if has_factory else b"",
        call_data=_call_data(side.version, drawn.calls),
        call_gas_limit=10**15 if flaw == "no funds" else 400_000,
        verification_gas_limit=600_000,
        pre_verification_gas=60_000,
        max_fee_per_gas=2 * 10**9,
        max_priority_fee_per_gas=10**10 if flaw == "priority fee above the fee" else 10**6,
        paymaster=NOWHERE if flaw == "paymaster without code" else None,
    )
    if drawn.is_sponsored and operation.paymaster is None:
        operation = side.sponsored(operation)
    return replace(operation, signature=sign(side, operation, flaw))


def _call_data(version: str, calls: tuple[tuple[str, int, bytes], ...]) -> bytes:
    if len(calls) == 1:
        return execute_call(*calls[0])
    if version == "0.7":
        return execute_batch(calls)
    if version == "0.6":
        # It takes no coins along.
        return _encode(_BATCHES["0.6"], [[to for to, _, _ in calls], [data for _, _, data in calls]])
    return _encode(_BATCHES["0.8"], [list(calls)])


def _encode(signature: str, arguments: list[Any]) -> bytes:
    return encode_call(Function.parse(signature), arguments)


def sign(side: Side, operation: UserOperation, flaw: str | None) -> bytes:
    if flaw == "no signature":
        return b""
    if flaw == "short signature":
        return b"\x01" * 20
    digest = user_operation_hash(operation, side.version, side.chain)
    if side.version in ("0.6", "0.7"):
        digest = personal_message_digest(digest)
    if flaw == "signature of another key":
        return secp256k1.sign(b"\x07" * 32, digest).to_bytes()
    return custody.sign_digest(side.project, side.account, digest)


def find_difference(version: str, seed: int, count: int) -> str | None:
    """The first of some random operations that code does something else with than the doubles, with both."""
    random = Random(f"{version}/{seed}")
    real, native = Side.with_code(version), Side.of(version)
    native.know(real.factory_accounts)
    for number in range(count):
        drawn = draw(random)
        expected, found = perform(real, drawn), perform(native, drawn)
        if expected != found:
            return f"{version}, seed {seed}, operation {number}: {drawn}\n  code: {expected}\nnative: {found}"
    return None
