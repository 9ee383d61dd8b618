"""Values that are issued to be given back: one-time codes, nonces, the tokens of mailed links."""

from mockserver.state.identity import Verification, VerificationKind
from mockserver.state.project import Project


def issue_verification(
    project: Project,
    kind: VerificationKind,
    identifier: str,
    value: str,
    lifetime_ms: int,
    *,
    new_email: str | None = None,
    code_challenge: str | None = None,
) -> Verification:
    """Issue a value; it is valid for a lifetime."""
    now_ms = project.clock.now_ms
    return project.identity.verifications.insert(
        Verification(
            id=project.entropy.text("verification"),
            kind=kind,
            identifier=identifier,
            value=value,
            created_ms=now_ms,
            expires_ms=now_ms + lifetime_ms,
            new_email=new_email,
            code_challenge=code_challenge,
        )
    )


def forget_verifications(project: Project, kind: VerificationKind, identifier: str) -> None:
    """Make what was issued of a kind invalid."""
    for row in project.identity.verifications.find("identifier", (kind, identifier)):
        project.identity.verifications.remove(row.id)
