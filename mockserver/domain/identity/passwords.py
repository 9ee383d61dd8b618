"""Passwords: a sign-in method, stored as a linked account with the provider `credential`."""

from mockserver import errors
from mockserver.crypto.passwords import hash_password, verify_password
from mockserver.domain.identity.users import link_account
from mockserver.errors import ApiError
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project

CREDENTIAL = "credential"
"""The provider of a password."""


LENGTH_ERRORS = (errors.IAM_PASSWORD_TOO_SHORT, errors.IAM_PASSWORD_TOO_LONG)
"""The errors of `check_length`, for the declarations of its endpoints."""


def check_length(project: Project, password: str) -> None:
    """ApiError for a password that is shorter or longer than the project allows."""
    settings = project.settings
    if len(password) < settings.password_min_length:
        raise ApiError(errors.IAM_PASSWORD_TOO_SHORT, limit=settings.password_min_length)
    if len(password) > settings.password_max_length:
        raise ApiError(errors.IAM_PASSWORD_TOO_LONG, limit=settings.password_max_length)


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
