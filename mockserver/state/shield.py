"""What the share service keeps: shares of users' keys, and encryption sessions."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from mockserver.kernel.retention import Retention, one_group
from mockserver.kernel.schema import Schema
from mockserver.kernel.secrecy import Secret
from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo

ShareEntropy = Literal["none", "user", "project", "passkey"]
"""With what a share is encrypted: `user` is a password, `project` the encryption part of the project."""


class KeptShare(NamedTuple):
    """A share of a user; the id is its owner and its reference."""

    id: str
    owner: str
    """The id of a user, or `custom/` and the id at the developer's own provider."""
    part: Secret | None
    """The encryption part that gives it back; None where none is needed."""
    reference: str
    """The signer (`sig_`) whose key it is of, or any other text; empty without one."""
    secret: Secret
    entropy: ShareEntropy
    parameters: Mapping[str, str | int]
    """How it is encrypted, as the client says."""


class EncryptionSession(NamedTuple):
    """A session that stands for an encryption part."""

    id: Secret
    part: Secret


_SHARES = Schema(KeptShare, "owner")
_SESSIONS = Schema(
    EncryptionSession,
    internal=True,
    retention=Retention("encryption sessions", "settled_kept", one_group),
)


class Shield:
    """The tables of this module."""

    def __init__(self, undo: Undo) -> None:
        self.shares = Table(undo, _SHARES)
        self.sessions = Table(undo, _SESSIONS)
