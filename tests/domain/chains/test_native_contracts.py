"""Which addresses are those of contracts that the project knows and that have no code."""

from collections.abc import Callable
from dataclasses import replace

from httpx import Client

from mockserver.chain.account_calls import execute_batch, execute_call
from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.chain.networks import NETWORKS
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.domain.chains import execution, ledger
from mockserver.domain.chains.native_contracts import NativeContracts
from mockserver.kernel.effort import finish
from mockserver.state.chains import TokenHolding
from mockserver.state.project import Project
from mockserver.state.settings import TokenSettings
from tests.tables import cases

BASE, SEPOLIA = 8453, 84532
HERE, HOLDER = "0x" + "ab" * 20, "0x" + "cd" * 20
ENTRY_POINT = ENTRY_POINTS["0.7"]
NEW, OLD = 25_000, 0
PAID = 9_000 - 2_300
"""What a call with a value costs, of which the stipend is left."""
IMPLEMENTATION = next(each for each in IMPLEMENTATIONS.values() if each.factory_address)


def deploy(project: Project, address: str) -> None:
    ledger.write(project, ledger.chain_account(project, BASE, address)._replace(deployed=True))


def price(project: Project, address: str) -> None:
    project.settings = replace(project.settings, tokens={address: TokenSettings()})


def hold(project: Project, address: str) -> None:
    token = f"{BASE}:{address}"
    row = TokenHolding(f"{token}:{HOLDER}:", f"{token}:", f"{token}:{HOLDER}", token, HOLDER, 1)
    project.chains.token_holdings.insert(row)


@cases("change", deploy, price, hold)
def test_an_address_becomes_a_contract(project: Project, change: Callable[[Project, str], None]) -> None:
    known = NativeContracts(project, BASE)
    assert not known.is_contract(HERE)
    change(project, HERE)
    assert (known.is_contract(HERE), known.is_contract(HOLDER)) == (True, False)


def test_registered_contracts_and_paymasters_in_use_are_some(api: Client, project: Project) -> None:
    known = NativeContracts(project, SEPOLIA)
    api.post("/v1/contracts", json={"name": "Token", "chainId": SEPOLIA, "address": HERE})
    known.paymasters.add(HOLDER)
    assert (known.is_contract(HERE), known.is_contract(HOLDER)) == (True, True)
    assert not NativeContracts(project, BASE).is_contract(HERE)


@cases(
    "address",
    ENTRY_POINT,
    IMPLEMENTATION.address,
    IMPLEMENTATION.factory_address,
    NETWORKS[BASE].usdc,
    "0x4200000000000000000000000000000000000006",
    ids=["entry point", "implementation", "factory", "USDC", "wrapped ether"],
)
def test_what_every_chain_of_its_kind_has_is_there(project: Project, address: str) -> None:
    assert NativeContracts(project, BASE).is_contract(address.lower())


def words(selector: str, *values: int) -> bytes:
    return bytes.fromhex(selector) + b"".join(value.to_bytes(32, "big") for value in values)


@cases(
    "to, data, gas",
    (ENTRY_POINT, words("70a08231", 5), 3_000),
    (ENTRY_POINT, words("205c2878", int(HOLDER, 16), 0), 3_000 + 2_600),
    (ENTRY_POINT, words("205c2878", int(HOLDER, 16), 7), 3_000 + 30_000 + 2_600 + PAID + NEW),
    (NETWORKS[BASE].usdc, words("70a08231", 5), 3_000),
    (NETWORKS[BASE].usdc, words("095ea7b3", 5, 5), 3_000 + 30_000 + 4 * 62 + 16 * 6),
    ids=["balanceOf", "withdrawTo nothing", "withdrawTo", "balanceOf a token", "approve"],
)
def test_what_contracts_without_code_take(project: Project, to: str, data: bytes, gas: int) -> None:
    ledger.write(project, ledger.chain_account(project, BASE, HERE)._replace(balance=7, issued=7))
    executor = execution.Executor(project, BASE, HERE)
    finish(executor.call(HERE, ENTRY_POINT, 7, words("b760faf9", int(HERE, 16)), 10**6))
    made = finish(execution.Executor(project, BASE, HERE).call(HERE, to, 0, data, 10**6))
    assert (made.error, made.gas_used) == (None, gas)


@cases(
    "calls, gas",
    ([(HOLDER, 0, b"")], 2_600),
    ([(HOLDER, 0, b"\1" * 32)], 2_600 + 3),
    ([(HOLDER, 0, b"\1" * 32), (HOLDER, 5, b"\2" * 33)], 2_600 + 3 + 100 + 3 + PAID + NEW),
    ids=["a call", "a call with data", "two calls"],
)
def test_what_accounts_without_code_take(
    project: Project, calls: list[tuple[str, int, bytes]], gas: int
) -> None:
    row = ledger.chain_account(project, BASE, HERE)
    ledger.write(project, row._replace(deployed=True, balance=5, issued=5))
    data = execute_call(*calls[0]) if len(calls) == 1 else execute_batch(calls)
    executor = execution.Executor(project, BASE, ENTRY_POINT)
    made = finish(executor.call(ENTRY_POINT, HERE, 0, data, 10**6))
    assert (made.error, made.gas_used) == (None, gas)
    assert [(call.to.lower(), call.value, call.input) for call in made.trace[1:]] == calls
