"""Mailed links: issued to somebody, good until their end."""

from collections.abc import Iterable
from typing import Literal

from mockserver.state.identity import Verification
from mockserver.state.project import Project

Kind = Literal["verify-email", "reset-password", "change-email"]

LINK_LIFETIME_MS = 3600 * 1000
"""How long a mailed link works."""


def issue_link(
    project: Project, kind: Kind, identifier: str, length: int, *, new_email: str | None = None
) -> Verification:
    """A token of so many characters for a mailed link."""
    now_ms = project.clock.now_ms
    return project.identity.verifications.insert(
        Verification(
            id=project.entropy.text("verification", 32),
            kind=kind,
            identifier=identifier,
            value=project.entropy.text("link_token", length),
            created_ms=now_ms,
            expires_ms=now_ms + LINK_LIFETIME_MS,
            new_email=new_email,
        )
    )


def find_link(project: Project, kind: Kind, token: str) -> Verification | None:
    """What a link's token was issued as, expired or not; None when it never was, or is used up."""
    return project.identity.verifications.first("value", (kind, token))


def is_expired(project: Project, row: Verification) -> bool:
    """Whether its time has run out."""
    return row.expires_ms <= project.clock.now_ms


def project_of_link(projects: Iterable[Project], kind: Kind, token: str) -> Project | None:
    """The project that issued a link's token: who opens a mailed link sends no key."""
    return next((project for project in projects if find_link(project, kind, token)), None)
