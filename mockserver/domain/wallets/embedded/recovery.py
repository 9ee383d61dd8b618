"""How users recover keys: by a share, for which they have to give what only they or the developer have."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mockserver import errors
from mockserver.domain.wallets.accounts import accounts_with_key_of
from mockserver.domain.wallets.keys.shares import recovery_share
from mockserver.errors import ApiError, ErrorRow
from mockserver.state.project import Project
from mockserver.state.wallets import Account, KeptShare, Passkey, RecoveryMethod, ShareEntropy

KINDS: Mapping[RecoveryMethod, ShareEntropy] = {
    "password": "user",
    "automatic": "project",
    "passkey": "passkey",
}
"""What the share of an account is encrypted with, by how it is recovered."""
_METHODS = {kind: method for method, kind in KINDS.items()}
_MISSING: Mapping[ShareEntropy, ErrorRow] = {
    "user": errors.RECOVERY_PASSWORD_MISSING,
    "project": errors.RECOVERY_SESSION_MISSING,
    "passkey": errors.RECOVERY_PASSKEY_MISSING,
}
_WRONG: Mapping[ShareEntropy, ErrorRow] = {
    "user": errors.RECOVERY_PASSWORD_WRONG,
    "project": errors.RECOVERY_SESSION_WRONG,
    "passkey": errors.RECOVERY_PASSKEY_WRONG,
}
RECOVERY_ERRORS = (*_MISSING.values(), *_WRONG.values())
"""The errors of `keep_share` and `check_entropy`."""


class Entropy(NamedTuple):
    """What a client sends to encrypt a share with: a password, an encryption part, the key of a passkey."""

    secrets: Mapping[ShareEntropy, str]
    passkey_id: str | None = None

    def require(self, kind: ShareEntropy) -> str:
        """The secret of a kind. ApiError with 400 without it."""
        if kind not in self.secrets:
            raise ApiError(_MISSING[kind])
        return self.secrets[kind]


def keep_share(project: Project, owner: str, account: Account, kind: ShareEntropy, entropy: Entropy) -> None:
    """Keep the recovery share of an account's key, in the place of an earlier one.

    ApiError with 400 without the secret that gives it back.
    """
    secret, signer = entropy.require(kind), account.signer_id or ""
    share = recovery_share(project, account)
    project.wallets.shares.put(
        KeptShare(_share_id(owner, account), owner, secret, signer, share, kind, parameters={})
    )
    passkey = Passkey(entropy.passkey_id) if kind == "passkey" and entropy.passkey_id else None
    note_recovery(project, accounts_with_key_of(project, account), kind, passkey)


def move_shares(project: Project, owner: str, to: str | None) -> None:
    """Move the shares of an owner to another one, or delete them."""
    shares = project.wallets.shares
    for row in shares.find("owner", owner):
        shares.remove(row.id)
        if to is not None:
            shares.put(row._replace(id=f"{to}/{row.reference}", owner=to))


def note_recovery(
    project: Project, accounts: Iterable[Account], kind: ShareEntropy, passkey: Passkey | None = None
) -> None:
    """Note on accounts how their key is recovered. A passkey that is known stays where none is given."""
    method, now_ms = _METHODS.get(kind), project.clock.now_ms
    for row in accounts:
        known = passkey or (row.passkey if kind == "passkey" else None)
        project.wallets.accounts.replace(
            row._replace(recovery_method=method, passkey=known, updated_ms=now_ms)
        )


def check_entropy(project: Project, owner: str, account: Account, entropy: Entropy) -> None:
    """Check that a client has what recovers an account's key. ApiError with 400.

    All clients have it where no share is kept, or one that is not encrypted. What a developer has encrypted
    elsewhere is not known here: there anything of the kind will do.
    """
    kept = project.wallets.shares.get(_share_id(owner, account))
    if kept is None or kept.entropy == "none":
        return
    secret = entropy.require(kept.entropy)
    if kept.encryption_part not in (None, secret):
        raise ApiError(_WRONG[kept.entropy])


def _share_id(owner: str, account: Account) -> str:
    return f"{owner}/{account.signer_id}"
