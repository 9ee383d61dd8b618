"""Which addresses are those of contracts that the project knows and that have no code."""

from collections.abc import Callable
from dataclasses import replace

from httpx import Client

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.chain.networks import NETWORKS
from mockserver.chain.user_operations import ENTRY_POINTS
from mockserver.domain.chains import ledger
from mockserver.domain.chains.native_contracts import NativeContracts
from mockserver.state.chains import TokenHolding
from mockserver.state.project import Project
from mockserver.state.settings import TokenSettings
from tests.tables import cases

BASE, SEPOLIA = 8453, 84532
HERE, HOLDER = "0x" + "ab" * 20, "0x" + "cd" * 20
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
    ENTRY_POINTS["0.7"],
    IMPLEMENTATION.address,
    IMPLEMENTATION.factory_address,
    NETWORKS[BASE].usdc,
    "0x4200000000000000000000000000000000000006",
    ids=["entry point", "implementation", "factory", "USDC", "wrapped ether"],
)
def test_what_every_chain_of_its_kind_has_is_there(project: Project, address: str) -> None:
    assert NativeContracts(project, BASE).is_contract(address.lower())
