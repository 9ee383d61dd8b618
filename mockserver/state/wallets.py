"""Wallets, accounts and keys."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from mockserver.chain.addresses import is_address
from mockserver.chain.implementations import SALT, Implementation
from mockserver.kernel.retention import Retention, one_group
from mockserver.kernel.secrecy import Secret, SecretBytes
from mockserver.state.tables import Tables, table

ChainType = Literal["EVM", "SVM"]
AccountType = Literal["Externally Owned Account", "Smart Account", "Delegated Account"]
Custody = Literal["Developer", "User"]


class Wallet(NamedTuple):
    """A group of accounts: a user's, or a backend wallet's. The older API calls it a player."""

    id: str
    created_ms: int
    user_id: str | None = None
    description: str | None = None
    """The developer's metadata about the player, in the older API."""
    metadata: Mapping[str, str | int | float] | None = None


class SmartAccount(NamedTuple):
    """The contract behind a smart or delegated account."""

    implementation_type: str
    implementation_address: str
    factory_address: str | None = None
    salt: str | None = None
    first_owner_address: str | None = None
    """The owner that the CREATE2 address depends on; None for a delegated account."""
    deployed_tx: str | None = None
    deployed_ms: int | None = None
    active: bool = True
    """Whether it is in use: a delegated account delegates to one implementation at a time."""

    @classmethod
    def undeployed(cls, implementation: Implementation, owner: str) -> "SmartAccount":
        """The contract of an account that an address owns, before it is deployed."""
        kind, address, factory = implementation.type, implementation.address, implementation.factory_address
        if factory is None:
            return cls(kind, address)
        return cls(kind, address, factory, salt="0x" + SALT.hex(), first_owner_address=owner)


class Passkey(NamedTuple):
    """The passkey that recovers an account, and the device that created it."""

    id: str
    name: str | None = None
    os: str | None = None
    os_version: str | None = None
    device: str | None = None


class Account(NamedTuple):
    """An account on a chain. The key of `signing_address` signs for it."""

    id: str
    wallet_id: str
    account_type: AccountType
    chain_type: ChainType
    address: str
    custody: Custody
    created_ms: int
    updated_ms: int
    chain_id: int | None = None
    owner_address: str | None = None
    """The controlling key of a smart account; None for the others, which are their own owner."""
    smart_account: SmartAccount | None = None
    signer_id: str | None = None
    pending_owner_address: str | None = None
    """The pending owner of a smart account, until they accept."""
    recovery_method: str | None = None
    """The recovery method of the key: `password`, `passkey` or `automatic`; only in user custody."""
    passkey: Passkey | None = None
    """The passkey that recovers it, when the method is `passkey`."""
    backend: bool = False
    """Whether it is a backend wallet, whose requests are signed with the wallet secret."""
    disabled: bool = False
    """Whether it is disabled: it makes no transactions, and the older API hides it."""

    @property
    def signing_address(self) -> str:
        """The address whose key signs for the account."""
        return self.owner_address or self.address

    @property
    def has_changed_owner(self) -> bool:
        """Whether its owner is not the one that its address depends on."""
        return self.smart_account is not None and self.owner_address != self.smart_account.first_owner_address

    @property
    def is_in_use(self) -> bool:
        """Whether it is an EOA, or its contract is in use."""
        return self.smart_account is None or self.smart_account.active

    @property
    def is_known_to_older_api(self) -> bool:
        """Whether the account is in the older API: on one EVM chain, and not disabled."""
        return self.chain_type == "EVM" and self.chain_id is not None and not self.disabled


class DeveloperAccount(NamedTuple):
    """An EVM account of the developer's own (`dac_`), in no wallet."""

    id: str
    created_ms: int
    address: str
    custodial: bool
    """Whether the mock generated and has its key."""
    name: str | None = None
    deleted: bool = False


class Key(NamedTuple):
    """A private key the mock holds: secp256k1 for EVM, an ed25519 seed for SVM.

    The id is the address, lower-case for EVM. Stored apart from accounts so that no answer or log can
    show it by accident.
    """

    id: str
    chain_type: ChainType
    secret: SecretBytes
    imported: bool = False
    """Whether it was brought along, and does not follow from the seed."""

    def __repr__(self) -> str:
        return f"Key(id={self.id!r})"


DEFAULT_KEY_ID = "ws_default"
"""The id of the wallet secret that works from the start."""


class WalletSecret(NamedTuple):
    """A P-256 public key that verifies `X-Wallet-Auth`."""

    id: str
    public_key_pem: str
    registered_ms: int
    state: str = "active"
    """A state of the lifecycle in `domain.wallets.wallet_secrets`."""
    ended_ms: int | None = None


class SpentToken(NamedTuple):
    """A wallet auth token that was used; the id is its `jti`."""

    id: str
    ends_s: int
    """When it expires."""


class SpentTokenHorizon(NamedTuple):
    """Used tokens that ended before this minute were removed."""

    id: str
    minute: int


RecoveryMethod = Literal["password", "passkey", "automatic"]
"""How a user recovers the key of an account."""

ShareEntropy = Literal["none", "user", "project", "passkey"]
"""With what a share is encrypted: `user` is a password, `project` the encryption part of the project."""


class KeptShare(NamedTuple):
    """A share of a user; the id is its owner and its reference."""

    id: str
    owner: str
    """The id of a user, or `custom/` and the id at the developer's own provider."""
    encryption_part: Secret | None
    """What gives it back: an encryption part, or the password or passkey's key of an embedded wallet; None
    where nothing is needed, or what is needed is not known here."""
    reference: str
    """The signer (`sig_`) whose key it is of, or any other text; empty without one."""
    secret: Secret
    entropy: ShareEntropy
    parameters: Mapping[str, str | int]
    """How it is encrypted, as the client says."""


class EncryptionSession(NamedTuple):
    """A session that stands for an encryption part."""

    id: Secret
    encryption_part: Secret


def key_id(address: str, chain_type: ChainType) -> str:
    """The id of the key of an address."""
    return address.lower() if chain_type == "EVM" else address


def index_spelling(address: str) -> str:
    """An address as the indexes have it: EVM in lower case, SVM unchanged."""
    return address.lower() if is_address(address) else address


class Wallets(Tables):
    """The tables of this module."""

    wallets = table(Wallet, "user_id")
    accounts = table(
        Account,
        "wallet_id",
        "chain_id",
        "chain_type",
        "account_type",
        "custody",
        address=lambda row: key_id(row.address, row.chain_type),
        signing_address=lambda row: key_id(row.signing_address, row.chain_type),
    )
    developer_accounts = table(
        DeveloperAccount,
        "deleted",
        address=lambda row: row.address.lower(),
        retention=Retention("developer accounts", "deleted_kept", lambda row: row.deleted or None),
    )
    keys = table(Key, internal=True)
    announced_keys = table(Key, internal=True)
    secrets = table(
        WalletSecret,
        "state",
        "public_key_pem",
        # Once the default secret were forgotten, it would be registered again.
        retention=Retention(
            "ended wallet secrets",
            "deleted_kept",
            lambda row: None if row.state == "active" or row.id == DEFAULT_KEY_ID else True,
        ),
    )
    spent_tokens = table(
        SpentToken,
        internal=True,
        minute=lambda row: row.ends_s // 60,
        retention=Retention("used wallet auth tokens", "pending_kept", one_group),
    )
    spent_token_horizon = table(SpentTokenHorizon, internal=True)
    shares = table(KeptShare, "owner")
    encryption_sessions = table(
        EncryptionSession,
        internal=True,
        retention=Retention("encryption sessions", "settled_kept", one_group),
    )

    def has_account_at(self, row_id: str) -> bool:
        """Whether an account of any kind has this address, given as the id of its key."""
        account = self.accounts.first("address", row_id)
        return account is not None or self.developer_accounts.first("address", row_id) is not None
