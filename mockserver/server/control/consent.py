"""The consent pages of social providers, which the mock plays: in a browser, or by posting the form."""

from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from pydantic import AfterValidator

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.call import Reply
from mockserver.api.endpoint import Group
from mockserver.api.wire import Id, Query, Text
from mockserver.domain.identity.consent import grant
from mockserver.domain.identity.provider_profiles import find_profile, profiles_of, register_profile
from mockserver.domain.identity.providers import PROVIDERS
from mockserver.domain.identity.users import require_email
from mockserver.errors import ApiError
from mockserver.server.control.consent_page import HEADERS, consent_page
from mockserver.server.control.members import ControlBody
from mockserver.server.control_call import ControlCall
from mockserver.state.project import Project
from mockserver.state.social import ConsentRequest, ProviderProfile

consent = Group("Consent pages")

_ERRORS = {"refuse": "access_denied", "fail": "server_error"}
"""What a provider sends back instead of a code (RFC 6749, 4.1.2.1)."""


def _address_or_nothing(text: str) -> str:
    return require_email(text) if text else ""


class PageAddress(Query):
    """What the page's address carries is for people to read. Browsers send the form there as it is."""


class AskConsent(PageAddress):
    """Whose page it is."""

    state: Text


class GiveConsent(ControlBody):
    """The form. Without a persona it is somebody with that name and address, new or known by the address."""

    state: Text
    decision: Literal["accept", "refuse", "fail"] = "accept"
    profile: Text = ""
    """The subject of somebody that the provider knows."""
    name: Text = ""
    email: Annotated[Text, AfterValidator(_address_or_nothing)] = ""
    verified: bool = False
    """Whether the provider has verified the address."""
    subject: Id | None = None
    """The id that the provider gives somebody new; made up unless given."""


@consent.endpoint(
    "GET",
    "/_mock/projects/{p}/consent/{provider}",
    "ShowConsent",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_CONSENT,),
)
def show_consent(call: ControlCall[None, AskConsent]) -> Reply:
    """Show the page to which `sign-in/social` and `link-social` lead, as HTML."""
    request = _request(call.project, call.path["provider"], call.query.state)
    provider = PROVIDERS[request.provider]
    return Reply(consent_page(provider, request, profiles_of(call.project, provider)), headers=HEADERS)


@consent.endpoint(
    "POST",
    "/_mock/projects/{p}/consent/{provider}",
    "GiveConsent",
    ANYBODY,
    status=302,
    errors=(errors.CONTROL_UNKNOWN_CONSENT, errors.CONTROL_UNKNOWN_ROW),
)
def give_consent(call: ControlCall[GiveConsent, PageAddress]) -> Reply:
    """Accept, refuse or fail, as a form or as JSON; leads back to the service, and by it to the app."""
    body = call.body
    request = _request(call.project, call.path["provider"], body.state)
    members = {"state": request.id}
    if body.decision == "accept":
        members["code"] = grant(call.project, request, _profile(call.project, request, body))
    else:
        members["error"] = _ERRORS[body.decision]
    callback = f"/iam/v2/auth/callback/{quote(request.provider)}?{urlencode(members)}"
    return Reply(status=302, headers=(("location", callback), ("cache-control", "no-store")))


def _request(project: Project, provider: str, state: str) -> ConsentRequest:
    request = project.identity.consent_requests.get(state)
    if request is None or request.provider != provider:
        raise ApiError(errors.CONTROL_UNKNOWN_CONSENT, provider=provider[:80])
    return request


def _profile(project: Project, request: ConsentRequest, body: GiveConsent) -> ProviderProfile:
    if not body.profile:
        return register_profile(
            project,
            PROVIDERS[request.provider],
            name=body.name,
            email=body.email or None,
            email_verified=body.verified,
            subject=body.subject,
        )
    profile = find_profile(project, request.provider, body.profile)
    if profile is None:
        raise ApiError(errors.CONTROL_UNKNOWN_ROW, kind="profile", id=body.profile[:80])
    return profile
