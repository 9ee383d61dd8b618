"""Passwords: a sign-in method, stored as a linked account with the provider `credential`."""

from mockserver.crypto.passwords import hash_password, verify_password
from mockserver.domain.identity.users import link_account
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project

CREDENTIAL = "credential"
"""The provider of a password."""


def credential_of(project: Project, user: User) -> LinkedAccount | None:
    """The user's `credential` account, or None when the user has no password."""
    found = project.identity.linked_accounts.first("identity", (CREDENTIAL, user.id))
    return found if found is not None and found.password_hash is not None else None


def is_password_of(project: Project, user: User, password: str) -> bool:
    """Whether this is the user's password; False for a user without one."""
    credential = credential_of(project, user)
    return (
        credential is not None
        and credential.password_hash is not None
        and verify_password(password, credential.password_hash)
    )


def set_password(project: Project, user: User, password: str) -> None:
    """Set or replace the user's password."""
    password_hash = hash_password(password, project.entropy.draw("password_salt", 16))
    credential = credential_of(project, user)
    if credential is None:
        link_account(project, user, CREDENTIAL, user.id, password_hash=password_hash)
        return
    project.identity.linked_accounts.replace(
        credential._replace(password_hash=password_hash, updated_ms=project.clock.now_ms)
    )
