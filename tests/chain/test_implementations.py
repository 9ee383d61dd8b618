"""The contracts behind accounts."""

import pytest
from eth_utils import is_checksum_address, keccak

from mockserver.chain.implementations import IMPLEMENTATIONS, SMART_IMPLEMENTATIONS, Implementation
from mockserver.chain.user_operations import ENTRY_POINTS
from tests.tables import cases

OWNER = "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
OTHER = "0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF"

DEPLOYED = list(SMART_IMPLEMENTATIONS.values())
DELEGATES = [row for row in IMPLEMENTATIONS.values() if row.factory_address is None]


def test_every_implementation_speaks_to_a_known_entry_point() -> None:
    for row in IMPLEMENTATIONS.values():
        assert row.entry_point_version in ENTRY_POINTS


def test_published_contracts_have_their_own_addresses() -> None:
    """Clients sign over them: Calibur's deployment by Uniswap, the entry points of ERC-4337."""
    assert IMPLEMENTATIONS["Calibur"].address == "0x000000009B1D0aF20D8C6d0A44e162d11F9b8f00"
    assert ENTRY_POINTS == {
        "0.6": "0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789",
        "0.7": "0x0000000071727De22E5E9d8BAf0edAc6f37da032",
        "0.8": "0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108",
        "0.9": "0x433709009B8330FDa32311DF1C2AFA402eD8D009",
    }


def test_every_other_address_is_that_of_its_label() -> None:
    made_up = [row for row in IMPLEMENTATIONS.values() if row.type != "Calibur"]
    labelled: list[tuple[str, str]] = [(row.type, row.address) for row in made_up]
    labelled += [(f"{row.type}/factory", row.factory_address or "") for row in DEPLOYED]
    for label, address in labelled:
        assert address.lower() == "0x" + keccak(f"mockserver/{label}".encode())[12:].hex()


def test_all_addresses_differ_and_are_spelled_with_a_checksum() -> None:
    addresses = [row.address for row in IMPLEMENTATIONS.values()]
    addresses += [row.factory_address for row in DEPLOYED if row.factory_address]
    assert len(set(addresses)) == len(addresses) == 12
    assert all(is_checksum_address(address) for address in addresses)


def test_only_the_calibur_family_is_delegated_to() -> None:
    assert {row.type for row in DELEGATES} == {"Calibur", "CaliburV9"}


@cases("row", *DEPLOYED, ids=lambda row: row.type)
def test_the_init_code_returns_the_proxy_it_carries(row: Implementation) -> None:
    """Run by hand: PUSH2 size, RETURNDATASIZE (0), DUP2, PUSH1 10, RETURNDATASIZE, CODECOPY, RETURN."""
    code = row.init_code(OWNER)
    assert code[0] == 0x61
    assert code[3:10] == bytes.fromhex("3d81600a3d39f3")
    runtime = code[10:]
    assert int.from_bytes(code[1:3], "big") == len(runtime)
    assert runtime[10:30].hex() == row.address[2:].lower()
    assert runtime[-20:].hex() == OWNER[2:].lower()


@cases("row", *DEPLOYED, ids=lambda row: row.type)
def test_an_account_is_where_create2_puts_it(row: Implementation) -> None:
    factory = bytes.fromhex((row.factory_address or "")[2:])
    for owner in (OWNER, OTHER):
        code = row.init_code(owner)
        expected = keccak(b"\xff" + factory + bytes(32) + keccak(code))[12:]
        assert row.account_address(owner).lower() == "0x" + expected.hex()


def test_owners_and_implementations_have_accounts_of_their_own() -> None:
    found = {row.account_address(owner) for row in DEPLOYED for owner in (OWNER, OTHER)}
    assert len(found) == 2 * len(DEPLOYED)


@cases("row", *DELEGATES, ids=lambda row: row.type)
def test_a_delegate_deploys_nothing(row: Implementation) -> None:
    with pytest.raises(ValueError, match="has no factory"):
        row.account_address(OWNER)
