"""What owners sign, signed by eth_account."""

from collections.abc import Mapping
from typing import Any

from eth_account import Account as EthAccount
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from eth_typing import Hash32

from mockserver.domain.wallets.keys.custody import key_of
from mockserver.state.project import Project
from mockserver.state.wallets import Account


def owner_of(project: Project, account: Account) -> LocalAccount:
    """The owner of an account whose key the project holds."""
    key = key_of(project, account)
    assert key is not None
    owner: LocalAccount = EthAccount.from_key(key.secret)
    return owner


def sign_hash(signer: LocalAccount, digest: str | bytes, *, eip191: bool = False) -> str:
    """The signature of a hash of 32 bytes, as it is or as a message (EIP-191)."""
    raw = bytes.fromhex(digest[2:]) if isinstance(digest, str) else digest
    signed = signer.sign_message(encode_defunct(raw)) if eip191 else signer.unsafe_sign_hash(Hash32(raw))
    return "0x" + bytes(signed.signature).hex()


def fee_market_fields(execution: Mapping[str, Any], chain: int) -> dict[str, Any]:
    """The fields of a transaction of type 2 (EIP-1559), from how the API shows its execution."""
    return {
        "type": 2,
        "chainId": chain,
        "nonce": execution["nonce"],
        "gas": int(execution["gas"]),
        "maxFeePerGas": int(execution["maxFeePerGas"]),
        "maxPriorityFeePerGas": int(execution["maxPriorityFeePerGas"]),
        "to": execution["to"],
        "value": int(execution["value"]),
        "data": execution["data"],
    }
