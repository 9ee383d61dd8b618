"""The tokens of mailed links, which verify an address or reset a password."""

from typing import Literal

from mockserver.domain.identity.verifications import issue_verification
from mockserver.state.identity import Verification
from mockserver.state.project import Project
from mockserver.state.world import World

Kind = Literal["verify-email", "reset-password", "change-email"]


def issue_link(
    project: Project,
    kind: Kind,
    identifier: str,
    *,
    new_email: str | None = None,
    code_challenge: str | None = None,
) -> Verification:
    """Issue a token for a mailed link."""
    return issue_verification(
        project,
        kind,
        identifier,
        # As long as in the reference implementation.
        project.new_token("link_token", 24 if kind == "reset-password" else 32),
        project.settings.link_lifetime_ms,
        new_email=new_email,
        code_challenge=code_challenge,
    )


def find_link(project: Project, kind: Kind, token: str) -> Verification | None:
    """The row of a link's token, even if it expired; None when it is unknown or used."""
    return project.identity.verifications.first("value", (kind, token))


def find_valid_link(project: Project, kind: Kind, token: str) -> Verification | None:
    """The row of a link's token; None when it is unknown, used or expired."""
    row = find_link(project, kind, token)
    return None if row is None or is_expired(project, row) else row


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
