"""Pending OAuth authorizations at social providers (authorization code grant, RFC 6749, 4.1)."""

from mockserver.state.identity import ConsentRequest, ProviderProfile
from mockserver.state.project import Project
from mockserver.state.world import World

LIFETIME_MS = 600 * 1000
"""How long an authorization may take until its callback."""


def new_state(project: Project) -> str:
    """A fresh, unguessable `state`."""
    return project.new_token("oauth_state")


def grant(project: Project, request: ConsentRequest, profile: ProviderProfile) -> str:
    """Issue the authorization code of a user who consented."""
    code = project.entropy.text("oauth_code")
    project.identity.consent_requests.replace(request._replace(code=code, profile_id=profile.id))
    return code


def find_authorization(project: Project, state: str, provider: str | None) -> ConsentRequest | None:
    """The pending request with a `state`, of a provider if that is given; None if it has expired."""
    request = project.identity.consent_requests.get(state)
    if request is None or provider not in (None, request.provider):
        return None
    return request if request.expires_ms > project.clock.now_ms else None


def project_of_state(world: World, state: str) -> Project | None:
    """The project that issued a `state`: a browser sends no API key to the callback."""
    issuers = world.may_have_issued(state)
    return next((project for project in issuers if state in project.identity.consent_requests), None)
