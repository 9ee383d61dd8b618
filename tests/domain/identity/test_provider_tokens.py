"""The tokens of social providers that are stored with a user's identity."""

from mockserver.domain.identity.social.provider_tokens import issue_tokens, store_tokens
from mockserver.domain.identity.social.providers import PROVIDERS
from mockserver.domain.identity.users import create_user, link_account
from mockserver.state.identity import ProviderProfile, ProviderTokens
from mockserver.state.project import Project
from tests.tables import cases

FORMER = ProviderTokens(
    access_token="access",
    refresh_token="refresh",
    id_token="id",
    access_expires_ms=1,
    refresh_expires_ms=2,
    scopes=("email",),
)


def test_tokens_are_valid_for_an_hour_and_renewed_for_a_month(project: Project) -> None:
    profile = ProviderProfile("google/1", "google", "1", "Ada", None, True, None, {})
    tokens, now_ms = issue_tokens(project, PROVIDERS["google"], profile, ()), project.clock.now_ms
    assert tokens.access_expires_ms == now_ms + 3600 * 1000
    assert tokens.refresh_expires_ms == now_ms + 30 * 24 * 3600 * 1000


@cases(
    "issued, stored",
    (ProviderTokens(), FORMER),
    (
        ProviderTokens(access_token="new", access_expires_ms=9),
        FORMER._replace(access_token="new", access_expires_ms=9),
    ),
    (ProviderTokens(refresh_token="new"), FORMER._replace(refresh_token="new", refresh_expires_ms=None)),
    (ProviderTokens(id_token="new"), FORMER._replace(id_token="new")),
    (ProviderTokens(scopes=("profile",)), FORMER._replace(scopes=("profile",))),
    ids=["nothing", "access token", "refresh token", "ID token", "scopes"],
)
def test_tokens_replace_their_kind(project: Project, issued: ProviderTokens, stored: ProviderTokens) -> None:
    row = link_account(project, create_user(project, name="Ada", email=None), "google", "1")
    assert store_tokens(project, store_tokens(project, row, FORMER), issued).tokens == stored
