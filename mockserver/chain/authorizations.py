"""EIP-7702 authorizations, with which the key of an account delegates its code to a contract."""

from dataclasses import dataclass
from typing import NamedTuple

from mockserver.chain import rlp
from mockserver.chain.addresses import address_bytes, address_of
from mockserver.crypto.keccak import keccak256
from mockserver.crypto.secp256k1 import BadSignature, Signature, recover

_MAGIC = b"\x05"


class RecoveredAuthorization(NamedTuple):
    """An entry of a list of authorizations (EIP-7702); `authority` is None where none can have signed it."""

    chain_id: int
    address: bytes
    nonce: int
    authority: bytes | None


@dataclass(frozen=True, slots=True)
class Authorization:
    """A signed delegation to the code at `address`; chain id 0 means every chain."""

    chain_id: int
    address: str
    nonce: int
    signature: Signature

    @property
    def authority(self) -> str:
        """The address that signed, whose code becomes the delegation designator."""
        return address_of(
            recover(authorization_digest(self.chain_id, self.address, self.nonce), self.signature)
        )

    @property
    def fields(self) -> list[rlp.RlpItem]:
        """The authorization as a transaction lists it."""
        # y_parity, not v: the tuple is [chain_id, address, nonce, y_parity, r, s].
        signed = (self.signature.y_parity, self.signature.r, self.signature.s)
        return [self.chain_id, address_bytes(self.address), self.nonce, *signed]


def authorization_digest(chain_id: int, address: str, nonce: int) -> bytes:
    """Return what the authority signs: keccak of 0x05 and the RLP of chain id, address and nonce."""
    # The magic byte separates the domains: a transaction's signing payload starts with its type instead.
    return keccak256(_MAGIC + rlp.encode([chain_id, address_bytes(address), nonce]))


def recover_authorization(
    chain_id: int, address: bytes, nonce: int, y_parity: int, r: int, s: int
) -> RecoveredAuthorization:
    """Return an authorization with its signer, or with none for what is no signature."""
    digest = authorization_digest(chain_id, "0x" + address.hex(), nonce)
    try:
        authority = keccak256(recover(digest, Signature(r, s, y_parity)))[12:]
    except BadSignature:
        return RecoveredAuthorization(chain_id, address, nonce, None)
    return RecoveredAuthorization(chain_id, address, nonce, authority)
