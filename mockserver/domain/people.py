"""Users: how they come to be."""

from mockserver.state.identity import LinkedAccount, User
from mockserver.state.project import Project


def create_user(
    project: Project,
    *,
    name: str,
    email: str | None,
    email_verified: bool = False,
    image: str | None = None,
    phone_number: str | None = None,
    is_anonymous: bool | None = None,
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
            is_anonymous=is_anonymous,
        )
    )


def link_account(
    project: Project, user: User, provider: str, account_id: str, *, password_hash: str | None = None
) -> LinkedAccount:
    """Give a user a way in."""
    now_ms = project.clock.now_ms
    return project.identity.linked_accounts.insert(
        LinkedAccount(
            id=project.entropy.text("linked_account", 32),
            user_id=user.id,
            provider=provider,
            account_id=account_id,
            created_ms=now_ms,
            updated_ms=now_ms,
            password_hash=password_hash,
        )
    )
