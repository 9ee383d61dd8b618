"""Social providers."""

from typing import get_args

from mockserver.domain.identity.social.providers import PROVIDERS, provider_of
from mockserver.state.project import Project
from mockserver.state.settings import Settings, SocialProvider


def test_the_settings_know_every_provider_and_no_other() -> None:
    assert {*PROVIDERS} == {*get_args(SocialProvider)}
    assert all(name == provider.id for name, provider in PROVIDERS.items())


def test_a_project_has_every_provider_unless_it_lists_some(project: Project) -> None:
    assert all(provider_of(project, name) is provider for name, provider in PROVIDERS.items())
    assert provider_of(project, "myspace") is None
    project.settings = Settings(social_providers=("line",))
    assert [name for name in PROVIDERS if provider_of(project, name)] == ["line"]
