"""Anonymous users, and what becomes of them when they say who they are."""

from mockserver.domain.identity.people import delete_user
from mockserver.state.identity import User
from mockserver.state.project import Project


def succeed_guest(project: Project, guest: User | None, user: User) -> None:
    """Let a user take the place of the anonymous one they were, if they were one.

    The anonymous user is deleted with their sessions. Their wallet becomes the user's, unless the user
    has one already.
    """
    if guest is None or not guest.is_anonymous or guest.id == user.id:
        return
    wallets = project.wallets.wallets
    if wallets.first("user_id", user.id) is None:
        for wallet in wallets.find("user_id", guest.id):
            wallets.replace(wallet._replace(user_id=user.id))
    delete_user(project, guest)
