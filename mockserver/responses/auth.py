"""Users and sessions as the endpoints of `/iam/v2/auth` show them."""

from typing import NotRequired

from typing_extensions import TypedDict

from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Token
from mockserver.responses.shapes import ABSENT, optional, present
from mockserver.state.identity import Session, User


class UserFields(TypedDict):
    """What every form of a user has."""

    id: str
    name: str
    email: str
    emailVerified: bool
    createdAt: str
    updatedAt: str


class AuthUser(UserFields):
    """A user, as the specification's Auth user."""

    image: NotRequired[str]
    isAnonymous: NotRequired[bool]
    phoneNumber: NotRequired[str]
    phoneNumberVerified: NotRequired[bool]


class SessionUser(UserFields):
    """A user in the answer of a sign-in."""

    image: str | None


class AuthSession(TypedDict):
    """A session, as the specification's Auth session."""

    id: str
    expiresAt: str
    token: Token
    createdAt: str
    updatedAt: str
    ipAddress: str
    userAgent: str
    userId: str


class SignedIn(TypedDict):
    """A session and its user."""

    token: Token
    user: AuthUser


class Status(TypedDict):
    """That something was done."""

    status: bool


class Success(TypedDict):
    """That something succeeded."""

    success: bool


def auth_user(row: User) -> AuthUser:
    """A user as these endpoints show one; a user without an address has an empty one."""
    answer: AuthUser = {
        "id": row.id,
        "name": row.name,
        "email": row.email or "",
        "emailVerified": row.email_verified,
        "createdAt": timestamps.format_iso(row.created_ms),
        "updatedAt": timestamps.format_iso(row.updated_ms),
        "image": optional(row.image),
        "isAnonymous": optional(row.is_anonymous),
        "phoneNumber": optional(row.phone_number),
        "phoneNumberVerified": ABSENT if row.phone_number is None else bool(row.phone_number_verified),
    }
    return present(answer)


def session_user(row: User) -> SessionUser:
    """A user as a sign-in answers it."""
    return {
        "id": row.id,
        "email": row.email or "",
        "name": row.name,
        "image": row.image,
        "emailVerified": row.email_verified,
        "createdAt": timestamps.format_iso(row.created_ms),
        "updatedAt": timestamps.format_iso(row.updated_ms),
    }


def auth_session(row: Session) -> AuthSession:
    """A session as these endpoints show one."""
    return {
        "id": row.id,
        "expiresAt": timestamps.format_iso(row.expires_ms),
        "token": row.token,
        "createdAt": timestamps.format_iso(row.created_ms),
        "updatedAt": timestamps.format_iso(row.updated_ms),
        "ipAddress": row.ip_address,
        "userAgent": row.user_agent,
        "userId": row.user_id,
    }
