"""The consent pages of simulated social providers: HTML for a browser, or a form to post."""

from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import AfterValidator
from starlette.datastructures import URL

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.api.wire import Id, Query, Text
from mockserver.domain.identity.social.consent import grant
from mockserver.domain.identity.social.profiles import find_profile, register_profile
from mockserver.domain.identity.social.providers import PROVIDERS
from mockserver.domain.identity.users import require_email
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.responses.pages import form_headers
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, row_not_found
from mockserver.server.control.groups import ControlGroup
from mockserver.state.existence import note_dropped
from mockserver.state.identity import ConsentRequest, ProviderProfile
from mockserver.state.project import Project

consent = ControlGroup("Consent pages")

# Browsers hold a form's redirects against its policy, too, and they end at the application.
_HEADERS = form_headers(style_src="'unsafe-inline'", form_action="*")

_ERRORS = {"refuse": "access_denied", "fail": "server_error"}
"""The error that a provider sends back instead of a code (RFC 6749, 4.1.2.1)."""


def _check_email(text: str) -> str:
    return require_email(text) if text else ""


class ConsentPageQuery(Query):
    """Unknown members are allowed: browsers post the form to the address of the page, query included."""


class ShowConsent(ConsentPageQuery):
    """The pending authorization."""

    state: Text


class GiveConsent(ControlBody):
    """The form. Without `profile` the user is found by the e-mail address, or else created."""

    state: Text
    decision: Literal["accept", "refuse", "fail"] = "accept"
    profile: Text = ""
    """The subject of an existing user of the provider."""
    name: Text = ""
    email: Annotated[Text, AfterValidator(_check_email)] = ""
    verified: bool = False
    """Whether the provider has verified the address."""
    subject: Id | None = None
    """The id that the provider gives a new user; generated unless given."""


@consent.operation(
    "GET /consent/{provider}",
    "ShowConsent",
    errors.CONTROL_UNKNOWN_CONSENT,
    writes=("text/html",),
    is_open=True,
)
def show_consent(call: ControlCall[None, ShowConsent]) -> Reply:
    """Show the consent page, as HTML, to which `sign-in/social` and `link-social` redirect."""
    request = _require_request(call.project, call.path["provider"], call.query.state)
    provider = PROVIDERS[request.provider]
    # Imported on first use: of what escapes HTML the tables are large.
    from mockserver.server.control.simulated.consent_page import consent_page

    page = consent_page(call.project, provider, request)
    return Reply(page, headers=_HEADERS)


@consent.operation(
    "POST /consent/{provider}",
    "GiveConsent",
    errors.CONTROL_UNKNOWN_CONSENT,
    errors.CONTROL_UNKNOWN_ROW,
    status=302,
    is_open=True,
)
def give_consent(call: ControlCall[GiveConsent, ConsentPageQuery]) -> Reply:
    """Answer the consent page, as a form or JSON: accept, refuse or fail; redirects to the callback."""
    body = call.body
    request = _require_request(call.project, call.path["provider"], body.state)
    members = {"state": request.id}
    if body.decision == "accept":
        members["code"] = grant(call.project, request, _find_or_create_profile(call.project, request, body))
    else:
        members["error"] = _ERRORS[body.decision]
    family = "v1/oauth" if request.is_older else "v2/auth"
    own = f"{call.request.root_path}/iam/{family}/callback/{quote(request.provider)}"
    callback = URL(request.provider_returns_to or own).include_query_params(**members)
    return Reply(status=302, headers=(("location", str(callback)), ("cache-control", "no-store")))


def _require_request(project: Project, provider: str, state: str) -> ConsentRequest:
    request = project.identity.consent_requests.get(state)
    if request is None or request.provider != provider:
        note = note_dropped(project.identity.consent_requests)
        raise ApiError(errors.CONTROL_UNKNOWN_CONSENT, note=note, provider=shorten(provider))
    return request


def _find_or_create_profile(project: Project, request: ConsentRequest, body: GiveConsent) -> ProviderProfile:
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
        raise row_not_found("profile", body.profile)
    return profile
