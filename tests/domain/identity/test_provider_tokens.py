"""The tokens of social providers that are stored with a user's identity."""

from mockserver.domain.identity.social.provider_tokens import store_tokens
from mockserver.domain.identity.users import create_user, link_account
from mockserver.state.project import Project
from mockserver.state.social import ProviderTokens
from tests.tables import cases

FORMER = ProviderTokens(
    access_token="access",
    refresh_token="refresh",
    id_token="id",
    access_expires_ms=1,
    refresh_expires_ms=2,
    scopes=("email",),
)


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
