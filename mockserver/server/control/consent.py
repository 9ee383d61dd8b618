"""The consent pages of simulated social providers: HTML for a browser, or a form to post."""

from collections.abc import Sequence
from html import escape
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from pydantic import AfterValidator

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.api.wire import Id, Query, Text
from mockserver.domain.identity.consent import grant
from mockserver.domain.identity.provider_configs import base_url, client_id
from mockserver.domain.identity.provider_profiles import find_profile, profiles_of, register_profile
from mockserver.domain.identity.providers import PROVIDERS, Provider
from mockserver.domain.identity.users import is_email, require_email
from mockserver.errors import ApiError
from mockserver.responses.pages import page_headers
from mockserver.server.control.bodies import ControlBody, row_not_found
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control_call import ControlCall
from mockserver.state.existence import note_dropped
from mockserver.state.project import Project
from mockserver.state.social import ConsentRequest, ProviderProfile

consent = ControlGroup("Consent pages")

# Browsers hold a form's redirects against its policy, too, and they end at the application.
_HEADERS = page_headers(style_src="'unsafe-inline'", form_action="*")

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 3em auto; max-width: 30em; padding: 0 1em; color: #222 }
h1 { font-size: 1.4em } fieldset { border: 1px solid #bbb; border-radius: 6px; margin: 1em 0 }
label { display: block; margin: .4em 0 } input[type=text], input[type=email] { width: 100%; padding: .4em;
box-sizing: border-box } button { font: inherit; padding: .5em 1em; margin-right: .5em } small { color: #666 }
"""

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
    "GET",
    "/consent/{provider}",
    "ShowConsent",
    errors.CONTROL_UNKNOWN_CONSENT,
    writes=("text/html",),
    is_open=True,
)
def show_consent(call: ControlCall[None, ShowConsent]) -> Reply:
    """Show the consent page, as HTML, to which `sign-in/social` and `link-social` redirect."""
    request = _require_request(call.project, call.path["provider"], call.query.state)
    provider = PROVIDERS[request.provider]
    application = _application(call.project, provider)
    page = _consent_page(provider, request, profiles_of(call.project, provider), application)
    return Reply(page, headers=_HEADERS)


@consent.operation(
    "POST",
    "/consent/{provider}",
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
    callback = f"{call.request.root_path}/iam/v2/auth/callback/{quote(request.provider)}?{urlencode(members)}"
    return Reply(status=302, headers=(("location", callback), ("cache-control", "no-store")))


def _require_request(project: Project, provider: str, state: str) -> ConsentRequest:
    request = project.identity.consent_requests.get(state)
    if request is None or request.provider != provider:
        note = note_dropped(project.identity.consent_requests)
        raise ApiError(errors.CONTROL_UNKNOWN_CONSENT, note=note, provider=provider[:80])
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


def _application(project: Project, provider: Provider) -> str:
    """Who asks, in HTML: the configured client and base URL, or an application that is not configured."""
    application = client_id(project, provider.id)
    where = base_url(project, provider.id)
    if application is None:
        return "An application"
    at = f" at <code>{escape(where)}</code>" if where else ""
    return f"The application <code>{escape(application)}</code>{at}"


def _consent_page(
    provider: Provider, request: ConsentRequest, profiles: Sequence[ProviderProfile], application: str
) -> bytes:
    """A page that loads nothing else: a form with the user at the provider, and accept, refuse or fail."""
    name = escape(provider.name)
    chosen = _preselect_profile(request, profiles)
    purpose = "link" if request.links else "sign in with"
    scopes = ", ".join(map(escape, request.scopes))
    choices = "".join(_profile_choice(row, chosen=row is chosen) for row in profiles)
    hint = request.login_hint if request.login_hint and is_email(request.login_hint) else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}, simulated by the mock server</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{name}, simulated by the mock server</h1>
<p>{application} wants to {purpose} your {name} account. It asks for: {scopes}.</p>
<form method="post">
<input type="hidden" name="state" value="{escape(request.id)}">
<fieldset>
<legend>Who are you?</legend>
{choices}<label><input type="radio" name="profile" value=""{"" if chosen else " checked"}> A new user:</label>
<label>Name <input type="text" name="name" value="Test User"></label>
<label>E-mail address <input type="email" name="email" value="{escape("" if chosen else hint)}"></label>
<label><input type="checkbox" name="verified" value="true" checked> {name} has verified the address</label>
</fieldset>
<button name="decision" value="accept">Accept</button>
<button name="decision" value="refuse">Refuse</button>
<button name="decision" value="fail">Fail</button>
</form>
<p><small>No password is asked for, and nothing leaves this server.</small></p>
</body>
</html>
""".encode()


def _preselect_profile(
    request: ConsentRequest, profiles: Sequence[ProviderProfile]
) -> ProviderProfile | None:
    """The profile that `login_hint` names, or without a hint the first one."""
    hint = (request.login_hint or "").lower()
    if not hint:
        return profiles[0] if profiles else None
    return next((row for row in profiles if hint in (row.email, row.subject)), None)


def _profile_choice(row: ProviderProfile, *, chosen: bool) -> str:
    address = escape(row.email or "no address")
    verified = "" if row.email_verified or row.email is None else ", not verified"
    return (
        f'<label><input type="radio" name="profile" value="{escape(row.subject)}"'
        f"{' checked' if chosen else ''}> {escape(row.name or row.subject)} "
        f"<small>{address}{verified}</small></label>\n"
    )
