"""Tokens of social providers: issued, refreshed and stored with the linked identity."""

from mockserver import errors
from mockserver.crypto import p256
from mockserver.crypto.tokens import sign_es256
from mockserver.domain.identity.social.profiles import find_profile
from mockserver.domain.identity.social.provider_configs import base_url, client_id
from mockserver.domain.identity.social.providers import PROVIDERS, Provider
from mockserver.errors import ApiError
from mockserver.state.identity import LinkedAccount, ProviderProfile, ProviderTokens
from mockserver.state.project import Project

ACCESS_LIFETIME_MS = 3600 * 1000
"""How long a provider's access tokens and id tokens are valid."""

REFRESH_LIFETIME_MS = 30 * 24 * 3600 * 1000
"""How long its refresh tokens are valid."""

LEEWAY_MS = 5_000
"""An access token that expires this soon is refreshed before it is returned."""


def issue_tokens(
    project: Project, provider: Provider, profile: ProviderProfile, scopes: tuple[str, ...]
) -> ProviderTokens:
    """Issue the tokens of a provider after consent."""
    now_ms = project.clock.now_ms
    return ProviderTokens(
        access_token=_opaque(project),
        refresh_token=_opaque(project),
        id_token=_id_token(project, provider, profile),
        access_expires_ms=now_ms + ACCESS_LIFETIME_MS,
        refresh_expires_ms=now_ms + REFRESH_LIFETIME_MS,
        scopes=scopes,
    )


def store_tokens(project: Project, row: LinkedAccount, tokens: ProviderTokens) -> LinkedAccount:
    """Store these tokens with the identity; tokens that are absent keep their former values."""
    before = row.tokens
    if before is not None:
        if not tokens.access_token:
            tokens = tokens._replace(
                access_token=before.access_token, access_expires_ms=before.access_expires_ms
            )
        if tokens.refresh_token is None:
            tokens = tokens._replace(
                refresh_token=before.refresh_token, refresh_expires_ms=before.refresh_expires_ms
            )
        tokens = tokens._replace(
            id_token=tokens.id_token or before.id_token, scopes=tokens.scopes or before.scopes
        )
    changed = row._replace(tokens=tokens, updated_ms=project.clock.now_ms)
    return project.identity.linked_accounts.replace(changed)


def renew_tokens(project: Project, row: LinkedAccount) -> ProviderTokens:
    """Refresh an identity's tokens. ApiError with 400 without a valid refresh token."""
    tokens, now_ms = row.tokens, project.clock.now_ms
    if tokens is None or tokens.refresh_token is None:
        raise ApiError(errors.IAM_REFRESH_FAILED)
    if tokens.refresh_expires_ms is not None and tokens.refresh_expires_ms <= now_ms:
        raise ApiError(errors.IAM_REFRESH_FAILED)
    profile = find_profile(project, row.provider, row.account_id)
    renewed = tokens._replace(access_token=_opaque(project), access_expires_ms=now_ms + ACCESS_LIFETIME_MS)
    if profile is not None:
        renewed = renewed._replace(id_token=_id_token(project, PROVIDERS[row.provider], profile))
    store_tokens(project, row, renewed)
    return renewed


def valid_tokens(project: Project, row: LinkedAccount) -> ProviderTokens:
    """The tokens of an identity, refreshed if the access token has expired and there is a refresh token."""
    tokens = row.tokens or ProviderTokens()
    ends_ms = tokens.access_expires_ms
    if tokens.refresh_token is None or ends_ms is None or ends_ms - project.clock.now_ms >= LEEWAY_MS:
        return tokens
    try:
        return renew_tokens(project, row)
    except ApiError:
        raise ApiError(errors.IAM_NO_VALID_ACCESS_TOKEN) from None


def _opaque(project: Project) -> str:
    return project.entropy.text("provider_token", 48)


def _id_token(project: Project, provider: Provider, profile: ProviderProfile) -> str | None:
    """An id token (OpenID Connect), signed with a key that the mock generated for the provider."""
    if not provider.id_tokens:
        return None
    key = p256.private_key_from_seed(project.entropy.derive(f"provider_key/{provider.id}", 48))
    now_s = project.clock.now_s
    claims = {
        **profile.claims,
        "iss": base_url(project, provider.id) or provider.issuer,
        "aud": client_id(project, provider.id) or project.id,
        "iat": now_s,
        "exp": now_s + ACCESS_LIFETIME_MS // 1000,
    }
    return sign_es256(key, claims, kid=p256.jwk(key.public_key())["kid"])
