"""Signatures that the contracts of a project's accounts find valid, where they have no code (ERC-1271)."""

from mockserver.chain.abi.functions import FunctionTable
from mockserver.chain.addresses import address_of
from mockserver.crypto.messages import typed_data_digest
from mockserver.crypto.secp256k1 import BadSignature, Signature, recover
from mockserver.state.project import Project

VALID = bytes.fromhex("1626ba7e").ljust(32, b"\0")
_INVALID = bytes.fromhex("ffffffff").ljust(32, b"\0")


def find_signer(digest: bytes, signature: bytes) -> str | None:
    """Who signed a digest; None for bytes that are no signature."""
    try:
        return address_of(recover(digest, Signature.from_bytes(signature)))
    except BadSignature:
        return None


def answer_account(project: Project, chain_id: int, address: str, data: bytes) -> bytes | None:
    """What an account answers about a signature; None for another call, and for accounts of no project.

    AbiError for wrong arguments.
    """
    account = project.wallets.accounts.first("address", address) if _FUNCTIONS.has(data) else None
    return None if account is None else _FUNCTIONS.call(data, account.signing_address, chain_id, address)


def _check(owner: str, chain_id: int, address: str, digest: bytes, signature: bytes) -> bytes:
    """Whether the owner signed a hash, or as clients do: the hash as a message of this account alone."""
    as_message = typed_data_digest(
        {
            "types": {"OpenfortMessage": [{"name": "hashedMessage", "type": "bytes32"}]},
            "domain": {
                "name": "Openfort",
                "version": "0.5",
                "chainId": chain_id,
                "verifyingContract": address,
            },
            "primaryType": "OpenfortMessage",
            "message": {"hashedMessage": "0x" + digest.hex()},
        }
    )
    return VALID if owner in (find_signer(each, signature) for each in (digest, as_message)) else _INVALID


_FUNCTIONS = FunctionTable({"isValidSignature(bytes32,bytes)": _check})
