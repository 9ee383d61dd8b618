"""Users: created, found and changed. Their removal is above transactions, in `transactions.removal`."""

import re
from collections.abc import Mapping
from typing import Literal, TypeVar

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.state.existence import not_found
from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project

Value = TypeVar("Value")

_EMAIL = re.compile(
    r"(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}"
)

_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"

_PHONE_NUMBER = re.compile(r"\+[1-9][0-9]{1,14}")


def is_email(text: str) -> bool:
    """Whether this has the form of an e-mail address, by the rule of the reference implementation."""
    return len(text) <= 254 and _EMAIL.fullmatch(text) is not None


def require_email(text: str) -> str:
    """The text, if it has the form of an e-mail address; ValueError otherwise."""
    if not is_email(text):
        raise ValueError("must be an e-mail address")
    return text


def read_address(text: str) -> str:
    """The e-mail address in lower case. ApiError with 400 for what has not the form of one."""
    if not is_email(text):
        raise ApiError(errors.IAM_INVALID_EMAIL, param="email")
    return text.lower()


def is_phone_number(text: str) -> bool:
    """Whether this is a phone number in the form of E.164."""
    return _PHONE_NUMBER.fullmatch(text) is not None


def require_phone_number(text: str) -> str:
    """The text, if it is a phone number in the form of E.164; ValueError otherwise."""
    if not is_phone_number(text):
        raise ValueError("must be a phone number in the form of E.164, such as +15555550100")
    return text


def create_user(
    project: Project,
    *,
    name: str,
    email: str | None,
    email_verified: bool = False,
    image: str | None = None,
    phone_number: str | None = None,
    is_anonymous: bool | None = None,
    has_placeholder_email: bool = False,
) -> User:
    """A new user."""
    now_ms = project.clock.now_ms
    return project.identity.users.insert(
        User(
            id=project.new_id("usr"),
            created_ms=now_ms,
            updated_ms=now_ms,
            name=name,
            email=email,
            email_verified=email_verified,
            image=image,
            phone_number=phone_number,
            phone_number_verified=None if phone_number is None else True,
            is_anonymous=is_anonymous,
            has_placeholder_email=has_placeholder_email,
        )
    )


def create_guest(project: Project, host: str) -> User:
    """A new anonymous user, with a made-up address at a host, as in the reference implementation."""
    local_part = "temp-" + project.entropy.text("anonymous_email", alphabet=_ALPHABET)
    email = f"{local_part}@{host}"
    return create_user(project, name="Anonymous", email=email, is_anonymous=True, has_placeholder_email=True)


def user_of_email(project: Project, email: str) -> User | None:
    """The user with this e-mail address, in any case, or None."""
    return project.identity.users.first("email", email.lower())


def verify_email(project: Project, user: User) -> User:
    """Mark the user's e-mail address as verified."""
    if user.email_verified:
        return user
    return project.identity.users.replace(user._replace(email_verified=True, updated_ms=project.clock.now_ms))


def change_email(project: Project, user: User, email: str) -> User:
    """Change the user's e-mail address; the new one is not verified."""
    return project.identity.users.replace(
        user._replace(
            email=email.lower(),
            email_verified=False,
            has_placeholder_email=False,
            updated_ms=project.clock.now_ms,
        )
    )


def link_account(
    project: Project, user: User, provider: str, account_id: str, *, password_hash: str | None = None
) -> LinkedAccount:
    """Add a linked account, a sign-in method, to a user."""
    now_ms = project.clock.now_ms
    return project.identity.linked_accounts.insert(
        LinkedAccount(
            id=project.entropy.text("linked_account"),
            user_id=user.id,
            provider=provider,
            account_id=account_id,
            created_ms=now_ms,
            updated_ms=now_ms,
            password_hash=password_hash,
        )
    )


def accounts_of_user(project: Project, user_id: str) -> list[LinkedAccount]:
    """The linked accounts of a user, oldest first."""
    return project.identity.linked_accounts.find("user_id", user_id)


def find_user(project: Project, user_id: str) -> User:
    """The user with this id (`usr_`), or whose wallet has it (`pla_`). ApiError with 404."""
    wallet = project.wallets.wallets.get(user_id)
    user = project.identity.users.get(user_id if wallet is None else wallet.user_id)
    if user is None:
        raise not_found(errors.USER_NOT_FOUND, user_id)
    return user


def merge_metadata(
    known: Mapping[str, Value] | None, given: Mapping[str, Value] | Literal[""]
) -> dict[str, Value]:
    """Merge metadata; an empty text removes its key, and metadata that is itself empty every key."""
    merged = {**(known or {}), **given} if given else {}
    return {name: value for name, value in merged.items() if value != ""}
