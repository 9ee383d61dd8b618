"""The developer's configurations of providers (`/iam/v1/config`, `/iam/v1/oauth`), and what they decide."""

from collections.abc import Mapping
from typing import Any

from mockserver import errors
from mockserver.crypto.key_sets import read_signed
from mockserver.crypto.tokens import BadToken, peek
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.state.identity import AuthConfig
from mockserver.state.project import Project

_MAX_LENGTH = 256

_LONGEST_SUBJECT = 256


def find_config(project: Project, name: str) -> AuthConfig | None:
    """The configuration of a provider, or None when there is none or it was removed."""
    row = project.identity.auth_configs.get(name)
    return None if row is None or row.removed else row


def configs(project: Project) -> list[AuthConfig]:
    """Every configuration, oldest first."""
    return [row for row in project.identity.auth_configs if not row.removed]


def configure(project: Project, name: str, enabled: bool, options: Mapping[str, Any]) -> AuthConfig:
    """Configure a provider; this replaces its former configuration."""
    table, known = project.identity.auth_configs, find_config(project, name)
    if known is not None:
        return table.replace(known._replace(enabled=enabled, options=options))
    if name in table:
        table.remove(name)
    return table.insert(AuthConfig(name, project.clock.now_ms, enabled, options))


def remove_config(project: Project, row: AuthConfig) -> None:
    """Remove a configuration. The provider is refused from then on, until it is configured again."""
    project.identity.auth_configs.replace(row._replace(removed=True))


def is_off(project: Project, name: str) -> bool:
    """Whether a provider is configured and disabled, or its configuration was removed."""
    row = project.identity.auth_configs.get(name)
    return row is not None and (row.removed or not row.enabled)


def require_way_in(project: Project, name: str) -> None:
    """ApiError with 403 when a way to sign in, such as `email`, is off."""
    if is_off(project, name):
        raise ApiError(errors.IAM_PROVIDER_DISABLED, provider=name)


def allows_anonymous(project: Project) -> bool:
    """Whether users may sign in anonymously."""
    return project.settings.anonymous_sign_in and not is_off(project, "guest")


def require_anonymous(project: Project) -> None:
    """ApiError with 404 where users may not sign in anonymously."""
    if not allows_anonymous(project):
        raise ApiError(errors.IAM_ANONYMOUS_OFF)


def client_id(project: Project, name: str) -> str | None:
    """The id that a provider knows the application by, as configured."""
    return _option(project, name, "clientId") or _option(project, name, "channelId")


def base_url(project: Project, name: str) -> str | None:
    """Where a provider is, as configured."""
    return _option(project, name, "baseUrl")


def read_claims(project: Project, provider: str, token: str) -> dict[str, Any]:
    """The claims of a provider's JWT; BadToken when it is none, or has expired on the project's clock.

    The signature is verified only if the project has the provider's keys, and with it the audience, if
    the configuration says which: `aud`, or the client's id.
    """
    keys = project.settings.provider_keys
    if provider in keys:
        claims = read_signed(token, keys[provider])
        _require_audience(project, provider, claims.get("aud"))
    else:
        _, claims = peek(token)
    expires_s = claims.get("exp")
    if isinstance(expires_s, bool) or not isinstance(expires_s, int | float | None):
        raise BadToken("its expiry (exp) is no number")
    if expires_s is not None and expires_s * 1000 <= project.clock.now_ms:
        raise BadToken("it has expired on this project's clock")
    return claims


def subject_of(claims: Mapping[str, Any], *names: str) -> str:
    """The user whom claims name, by the first of the members that there is.

    BadToken without any, and for what is no text or number, or is too long to be an id.
    """
    named = next((value for name in names if (value := claims.get(name)) not in (None, "")), None)
    if isinstance(named, bool) or not isinstance(named, str | int) or len(str(named)) > _LONGEST_SUBJECT:
        raise BadToken("it names no user (sub)")
    return str(named)


def _require_audience(project: Project, provider: str, named: object) -> None:
    expected = _option(project, provider, "aud") or client_id(project, provider)
    if expected is not None and expected not in (named if isinstance(named, list) else [named]):
        raise BadToken(f"it is not for the configured audience, {shorten(expected)}")


def _option(project: Project, name: str, option: str) -> str | None:
    row = find_config(project, name)
    return None if row is None else row.options.get(option)


def read_text(claims: Mapping[str, Any], name: str) -> str:
    """A text of a provider's claims, shortened; an empty one for anything else."""
    value = claims.get(name)
    return value[:_MAX_LENGTH] if isinstance(value, str) else ""
