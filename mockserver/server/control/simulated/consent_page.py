"""The consent page of a simulated social provider, as HTML."""

from collections.abc import Sequence
from html import escape

from mockserver.domain.identity.social.profiles import profiles_of
from mockserver.domain.identity.social.provider_configs import base_url, client_id
from mockserver.domain.identity.social.providers import Provider
from mockserver.domain.identity.users import is_email
from mockserver.state.identity import ConsentRequest, ProviderProfile
from mockserver.state.project import Project

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 3em auto; max-width: 30em; padding: 0 1em; color: #222 }
h1 { font-size: 1.4em } fieldset { border: 1px solid #bbb; border-radius: 6px; margin: 1em 0 }
label { display: block; margin: .4em 0 } input[type=text], input[type=email] { width: 100%; padding: .4em;
box-sizing: border-box } button { font: inherit; padding: .5em 1em; margin-right: .5em } small { color: #666 }
"""

_ADDRESS = "test.user@example.com"
"""Of a new user whom no `login_hint` names: without one, signing in fails."""


def consent_page(project: Project, provider: Provider, request: ConsentRequest) -> bytes:
    """A page that loads nothing else: a form with the user at the provider, and accept, refuse or fail."""
    name, application = escape(provider.name), _application(project, provider)
    profiles = profiles_of(project, provider)
    chosen = _preselect_profile(request, profiles)
    purpose = "link" if request.links else "sign in with"
    scopes = ", ".join(map(escape, request.scopes))
    choices = "".join(_profile_choice(row, chosen=row is chosen) for row in profiles)
    hint = request.login_hint or ""
    address = hint if is_email(hint) and not chosen else _ADDRESS
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
<label>E-mail address <input type="email" name="email" value="{escape(address)}"></label>
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


def _application(project: Project, provider: Provider) -> str:
    """Who asks, in HTML: the configured client and base URL, or an application that is not configured."""
    application = client_id(project, provider.id)
    where = base_url(project, provider.id)
    if application is None:
        return "An application"
    at = f" at <code>{escape(where)}</code>" if where else ""
    return f"The application <code>{escape(application)}</code>{at}"


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
