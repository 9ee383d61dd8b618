"""Passwords: a sign-in method, stored as a linked account with the provider `credential`."""

from mockserver import errors
from mockserver.crypto.passwords import hash_password, verify_password
from mockserver.domain.identity.email_rules import check_password
from mockserver.domain.identity.users import (
    change_email,
    create_user,
    link_account,
    read_address,
    user_of_email,
)
from mockserver.errors import ApiError, ErrorRow
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


def user_of_password(project: Project, email: str, password: str) -> User:
    """The user with this address and password. ApiError with 400 or 401."""
    user = user_of_email(project, read_address(email))
    if user is None or not is_password_of(project, user, password):
        raise ApiError(errors.IAM_INVALID_EMAIL_OR_PASSWORD)
    return user


def sign_up(
    project: Project,
    *,
    email: str,
    password: str,
    name: str,
    image: str | None = None,
    taken: ErrorRow = errors.IAM_USER_EXISTS,
) -> User:
    """A new user with a password, or the pregenerated one with the address who has not signed in yet.

    Where addresses have to be verified, they cannot sign in before that. ApiError with 400 for an
    address or a password that is not allowed, and `taken` for an address that another user has.
    """
    address = read_address(email)
    check_password(project, password)
    user = user_of_email(project, address)
    if user is None:
        user = create_user(project, name=name, email=address, image=image)
    elif user.pregenerated and not user.email_verified and credential_of(project, user) is None:
        user = project.identity.users.replace(
            user._replace(name=name, image=image, updated_ms=project.clock.now_ms)
        )
    else:
        raise ApiError(taken, param="email")
    set_password(project, user, password)
    return user


def link_password(project: Project, user: User, email: str, password: str, *, taken: ErrorRow) -> User:
    """Give a user an address and a password to sign in with; the address replaces the one they had.

    Errors as of `sign_up`. An anonymous user is an ordinary one from then on.
    """
    address = read_address(email)
    check_password(project, password)
    holder = user_of_email(project, address)
    if holder is not None and holder.id != user.id:
        raise ApiError(taken, param="email")
    if holder is None:
        user = change_email(project, user, address)
    set_password(project, user, password)
    return project.identity.users.replace(user._replace(is_anonymous=None))


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
