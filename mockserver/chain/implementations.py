"""The contracts behind smart and delegated accounts.

Calibur has the address of the published contract, since owners sign over it (EIP-7702). No real
contract has the others: each is the last twenty bytes of the keccak of a label, `mockserver/` and the
type, with `/factory` for its factory. They are constants so that start-up computes no hash.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from mockserver.chain.addresses import address_bytes, create2_address
from mockserver.chain.networks import NETWORKS
from mockserver.crypto.keccak import keccak256

ImplementationType: TypeAlias = Literal[
    "UpgradeableV5", "UpgradeableV6", "ManagedV5", "Simple", "Calibur", "CaliburV9"
]

SALT = bytes(32)
"""The CREATE2 salt of every deployment: the owner is part of the init code, so each owner has one account."""


class Implementation(NamedTuple):
    """A contract that accounts run.

    `factory_address` deploys its smart accounts; None where accounts delegate to it (EIP-7702).
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
        """The type of the accounts that use it."""
        return "Delegated Account" if self.factory_address is None else "Smart Account"

    def is_on(self, chain_id: int) -> bool:
        """Whether it is deployed on a chain."""
        return chain_id not in self.absent_on

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


# Chains with native account abstraction have no EIP-7702 delegation.
_WITHOUT_DELEGATION = frozenset(row.chain_id for row in NETWORKS.values() if row.native_accounts)

_ALL = (
    Implementation(
        "UpgradeableV5",
        "0x55ae36664B10D0B4D0d4B465Ff01DFa771Ca2415",
        "0.6",
        "0x6119Fbf3C8136775E14133d79552545684C8F011",
    ),
    Implementation(
        "UpgradeableV6",
        "0xDfe002ce28e9621053b26851eD22b2643d456198",
        "0.6",
        "0xf5fD41c80EAFA2eD1327977d0Aa2a2a91Bf0b92D",
    ),
    Implementation(
        "ManagedV5",
        "0x0f7EA571040AeC2a0d4b60bC95d54456955D5015",
        "0.6",
        "0xA538deFA7508114F252dCb663DA5A864d647429d",
    ),
    Implementation(
        "Simple",
        "0x35680f37093A8348654695Bb9E34BA182B2E76a9",
        "0.7",
        "0x6b6D6c9F357cC4a1ef23a58CA3CD917Ab591a4f4",
    ),
    Implementation(
        "Calibur",
        "0x000000009B1D0aF20D8C6d0A44e162d11F9b8f00",
        "0.8",
        absent_on=_WITHOUT_DELEGATION | {80002},
    ),
    Implementation(
        "CaliburV9",
        "0x887e20Ee31Aaa7077974c5984D7126457324b861",
        "0.9",
        absent_on=_WITHOUT_DELEGATION | {1},
    ),
)

IMPLEMENTATIONS: Mapping[ImplementationType, Implementation] = {row.type: row for row in _ALL}
"""Every implementation by its type; those that accounts can delegate to without a factory."""

SMART_IMPLEMENTATIONS: Mapping[ImplementationType, Implementation] = {
    **IMPLEMENTATIONS,
    "Calibur": IMPLEMENTATIONS["Calibur"]._replace(
        factory_address="0x018ae239a0508f3141E5473d98E76048339B157A"
    ),
    "CaliburV9": IMPLEMENTATIONS["CaliburV9"]._replace(
        factory_address="0x164D0170139149645BdB5A1e4bda9EA3CBce5870"
    ),
}
"""Every implementation as the contract behind a smart account, with its factory."""
