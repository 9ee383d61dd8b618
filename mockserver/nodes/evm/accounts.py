"""The accounts whose keys are here, and what they sign."""

from typing import Any

import orjson

from mockserver.chain.addresses import to_checksum
from mockserver.crypto import secp256k1
from mockserver.crypto.messages import personal_message_digest, typed_data_digest
from mockserver.nodes.endpoints import invalid, refused
from mockserver.nodes.evm.chain import Chain, NodeMethods
from mockserver.nodes.values import Address, Data, to_hex
from mockserver.state.project import Project
from mockserver.state.wallets import key_id

methods = NodeMethods()


@methods.method("eth_accounts", "eth_requestAccounts")
def list_accounts(chain: Chain) -> list[str]:
    """List the externally owned accounts whose keys are here, and those that are impersonated."""
    wallets = chain.project.wallets
    rows = (row for row in wallets.accounts if row.chain_type == "EVM" and row.smart_account is None)
    known = (row.address for row in (*rows, *wallets.developer_accounts))
    own = (address for address in known if find_secret(chain.project, address) is not None)
    # As Anvil has it: ethers makes a signer only of an address that is listed.
    return [*dict.fromkeys((*own, *map(to_checksum, chain.node.impersonated)))]


@methods.method("personal_sign")
def sign_message(chain: Chain, message: Data, address: Address, password: str = "") -> str:
    """Sign a message (EIP-191)."""
    return _sign(chain, address, personal_message_digest(message))


@methods.method("eth_sign")
def sign_data(chain: Chain, address: Address, message: Data) -> str:
    """Sign a message (EIP-191)."""
    return _sign(chain, address, personal_message_digest(message))


@methods.method("eth_signTypedData_v4", "eth_signTypedData")
def sign_typed_data(chain: Chain, address: Address, data: dict[str, Any] | str) -> str:
    """Sign typed data (EIP-712)."""
    try:
        document = orjson.loads(data) if isinstance(data, str) else data
        if not isinstance(document, dict):
            raise ValueError("must be an object")
        digest = typed_data_digest(document)
    except ValueError as error:
        raise invalid(f"invalid argument 1: data: {error}") from None
    return _sign(chain, address, digest)


def find_secret(project: Project, address: str) -> bytes | None:
    """The key of an address, if it is here."""
    key = project.wallets.keys.get(key_id(address, "EVM"))
    return None if key is None else key.secret


def require_secret(project: Project, address: str) -> bytes:
    """The key of an address. RpcError without it."""
    secret = find_secret(project, address)
    if secret is None:
        raise refused(f"unknown account {address}: its key is not here")
    return secret


def _sign(chain: Chain, address: str, digest: bytes) -> str:
    return to_hex(secp256k1.sign(require_secret(chain.project, address), digest).to_bytes())
