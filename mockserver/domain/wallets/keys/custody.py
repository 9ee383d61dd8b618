"""The private keys that the mock has: generated from the project's entropy, and used to sign."""

from mockserver.chain import addresses, base58
from mockserver.crypto import ed25519, secp256k1
from mockserver.state.project import Project
from mockserver.state.wallets import Account, ChainType, Key, key_id


def generate_key(project: Project, chain_type: ChainType) -> tuple[Key, str]:
    """Generate a key and its address: a secp256k1 secret for EVM, an ed25519 seed for SVM."""
    if chain_type == "EVM":
        secret = secp256k1.secret_from_seed(project.entropy.draw("evm_key", 48))
    else:
        secret = project.entropy.draw("svm_key")
    address = address_of_secret(secret, chain_type)
    return store_key(project, secret, chain_type), address


def store_key(project: Project, secret: bytes, chain_type: ChainType, *, imported: bool = False) -> Key:
    """Store a key, idempotently. A secret out of range is a ValueError."""
    row_id = key_id(address_of_secret(secret, chain_type), chain_type)
    held = project.wallets.keys.get(row_id)
    return held or project.wallets.keys.insert(Key(row_id, chain_type, secret, imported))


def forget_key(project: Project, account: Account) -> None:
    """Delete the key of a removed account, unless another account uses it."""
    tables, row_id = project.wallets, key_id(account.signing_address, account.chain_type)
    needed = tables.accounts.first("signing_address", row_id) or tables.developer_accounts.first(
        "address", row_id
    )
    if needed is None and row_id in tables.keys:
        tables.keys.remove(row_id)


def portable_bytes(key: Key) -> bytes:
    """A key as other wallets take it: 32 bytes for EVM; for SVM 64, seed and public key."""
    return key.secret if key.chain_type == "EVM" else key.secret + ed25519.public_key(key.secret)


def address_of_secret(secret: bytes, chain_type: ChainType) -> str:
    """The address of a secret key; ValueError when it is invalid for this type of chain."""
    if chain_type == "EVM":
        return addresses.address_of(secp256k1.public_key(secret))
    return base58.address_of(ed25519.public_key(secret))


def key_of(project: Project, account: Account) -> Key | None:
    """The key that signs for an account, or None when the mock does not have it."""
    return project.wallets.keys.get(key_id(account.signing_address, account.chain_type))


def sign_digest(project: Project, account: Account, digest: bytes) -> bytes:
    """Sign a 32-byte digest with an EVM account's key: r, s, v (27 or 28).

    ValueError without the key, and for an SVM account.
    """
    return secp256k1.sign(require_key(project, account, "EVM").secret, digest).to_bytes()


def sign_message_bytes(project: Project, account: Account, raw: bytes) -> bytes:
    """Sign bytes with an SVM account's key: 64 bytes of ed25519.

    ValueError without the key, and for an EVM account.
    """
    return ed25519.sign(require_key(project, account, "SVM").secret, raw)


def require_key(project: Project, account: Account, chain_type: ChainType) -> Key:
    """The key of an account of a type of chains. ValueError for one of another type, and without the key."""
    if account.chain_type != chain_type:
        raise ValueError(f"{account.id} is an {account.chain_type} account, not an {chain_type} one")
    key = key_of(project, account)
    if key is None:
        raise ValueError(f"the key of {account.id} is not held here")
    return key
