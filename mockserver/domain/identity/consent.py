"""The way to a social provider and back: what is remembered meanwhile (RFC 6749, 4.1)."""

from collections.abc import Iterable

from mockserver.state.project import Project
from mockserver.state.social import ConsentRequest, ProviderProfile

LIFETIME_MS = 600 * 1000
"""How long a user may take to come back."""


def new_state(project: Project) -> str:
    """A fresh `state`, which nobody can guess."""
    return project.entropy.text("oauth_state", 32)


def start_authorization(project: Project, request: ConsentRequest) -> ConsentRequest:
    """Remember who goes, and forget who did not come back in time."""
    requests = project.identity.consent_requests
    for row in requests:
        if row.expires_ms <= project.clock.now_ms:
            requests.remove(row.id)
    return requests.insert(request)


def grant(project: Project, request: ConsentRequest, profile: ProviderProfile) -> str:
    """The code that the provider sends back, which stands for somebody who consented."""
    code = project.entropy.text("oauth_code", 32)
    project.identity.consent_requests.replace(request._replace(code=code, profile_id=profile.id))
    return code


def finish_authorization(project: Project, state: str, provider: str) -> ConsentRequest | None:
    """Who comes back from a provider with a state, which is then used up; None if nobody, or too late."""
    request = project.identity.consent_requests.get(state)
    if request is None or request.provider != provider:
        return None
    project.identity.consent_requests.destroy(state)
    return request if request.expires_ms > project.clock.now_ms else None


def project_of_state(projects: Iterable[Project], state: str) -> Project | None:
    """The project whose user has this state: a browser that comes back sends no key."""
    return next((project for project in projects if state in project.identity.consent_requests), None)
