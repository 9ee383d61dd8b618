"""The tokens of mailed links, which verify an address or reset a password."""

from typing import Literal

from mockserver.domain.identity.verifications import issue_verification
from mockserver.state.identity import Verification
from mockserver.state.project import Project
from mockserver.state.world import World

Kind = Literal["verify-email", "reset-password", "change-email"]


def issue_link(
    project: Project, kind: Kind, identifier: str, length: int, *, new_email: str | None = None
) -> Verification:
    """Issue a token of this length for a mailed link."""
    token = project.new_token("link_token", length)
    return issue_verification(project, kind, identifier, token, project.settings.link_lifetime_ms, new_email)


def find_link(project: Project, kind: Kind, token: str) -> Verification | None:
    """The row of a link's token, even if it expired; None when it is unknown or used."""
    return project.identity.verifications.first("value", (kind, token))


def is_expired(project: Project, row: Verification) -> bool:
    """Whether the link has expired."""
    return row.expires_ms <= project.clock.now_ms


def project_of_link(world: World, kind: Kind, token: str) -> Project | None:
    """The project that issued a link's token, and may have dropped it: opening a link sends no API key."""
    issuers = world.may_have_issued(token)
    for project in issuers:
        if find_link(project, kind, token):
            return project
    return next((project for project in issuers if project.identity.verifications.dropped), None)
