"""The contracts behind smart and delegated accounts.

The addresses belong to nobody: each is the last twenty bytes of the keccak of a label, so that they
look like any other, stay the same for ever, and cannot be mistaken for a deployed contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mockserver.chain.addresses import address_bytes, checksum_of, create2_address
from mockserver.crypto.keccak import keccak256

ImplementationType: TypeAlias = Literal[
    "UpgradeableV5", "UpgradeableV6", "ManagedV5", "Simple", "Calibur", "CaliburV9"
]

SALT = bytes(32)
"""The salt of every deployment: the owner is part of the init code, so an owner has one account."""


@dataclass(frozen=True, slots=True)
class Implementation:
    """A contract that accounts run.

    `factory_address` deploys its smart accounts; None when accounts delegate to it (EIP-7702).
    `entry_point_version` is a key of `user_operations.ENTRY_POINTS`.
    """

    type: ImplementationType
    address: str
    entry_point_version: str
    factory_address: str | None = None
    absent_on: frozenset[int] = frozenset()
    """The chains on which it is not deployed."""

    @property
    def account_type(self) -> Literal["Smart Account", "Delegated Account"]:
        """The type of the accounts that it serves."""
        return "Delegated Account" if self.factory_address is None else "Smart Account"

    def init_code(self, owner: str) -> bytes:
        """What the factory deploys: a minimal proxy (ERC-1167) with its owner as immutable argument."""
        argument = bytes(12) + address_bytes(owner)
        runtime = (
            bytes.fromhex("363d3d373d3d3d363d73")
            + address_bytes(self.address)
            + bytes.fromhex("5af43d82803e903d91602b57fd5bf3")
            + argument
        )
        return b"\x61" + len(runtime).to_bytes(2, "big") + bytes.fromhex("3d81600a3d39f3") + runtime

    def account_address(self, owner: str) -> str:
        """Where the factory deploys the account of an owner (CREATE2), on every chain alike."""
        if self.factory_address is None:
            raise ValueError(f"{self.type} has no factory: accounts delegate to it.")
        return create2_address(self.factory_address, SALT, keccak256(self.init_code(owner)))


def _address(label: str) -> str:
    return checksum_of(keccak256(f"mockserver/{label}".encode())[12:])


def _deployed(name: ImplementationType, entry_point_version: str) -> Implementation:
    return Implementation(name, _address(name), entry_point_version, _address(f"{name}/factory"))


def _delegate(name: ImplementationType, entry_point_version: str, absent_on: int) -> Implementation:
    return Implementation(name, _address(name), entry_point_version, absent_on=frozenset({absent_on}))


_ALL = (
    _deployed("UpgradeableV5", "0.6"),
    _deployed("UpgradeableV6", "0.6"),
    _deployed("ManagedV5", "0.6"),
    _deployed("Simple", "0.7"),
    _delegate("Calibur", "0.8", absent_on=80002),
    _delegate("CaliburV9", "0.9", absent_on=1),
)

IMPLEMENTATIONS: Mapping[ImplementationType, Implementation] = {row.type: row for row in _ALL}
"""Every implementation by its type."""
