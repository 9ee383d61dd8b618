"""The wallet secret that a project has from the beginning."""

from mockserver.crypto import p256
from mockserver.domain.wallets import wallet_secrets
from mockserver.state.project import Project
from mockserver.state.wallets import DEFAULT_KEY_ID
from tests.domain.wallets.wallet_auth.helpers import STRANGER


def test_the_seeds_default_secret_is_registered_once(project: Project) -> None:
    first = wallet_secrets.default_secret(project)
    project.undo.roll_back()
    assert wallet_secrets.default_secret(project) == first
    assert [row.id for row in project.wallets.secrets] == [DEFAULT_KEY_ID]
    project.reset()
    assert wallet_secrets.default_secret(project) == first
    assert wallet_secrets.active_secret(project) is not None


def test_the_default_secret_gives_way_to_one_that_is_active(project: Project) -> None:
    wallet_secrets.register(project, p256.public_pem(STRANGER), "ws_mine")
    wallet_secrets.default_secret(project)
    active = wallet_secrets.active_secret(project)
    assert active is not None
    assert active.id == "ws_mine"


def test_the_default_secret_stays_revoked(project: Project) -> None:
    wallet_secrets.default_secret(project)
    wallet_secrets.revoke(project, DEFAULT_KEY_ID)
    wallet_secrets.default_secret(project)
    assert wallet_secrets.active_secret(project) is None


def test_revoking_again_changes_nothing(project: Project) -> None:
    wallet_secrets.default_secret(project)
    revoked = wallet_secrets.revoke(project, DEFAULT_KEY_ID)
    project.clock.move_to(project.clock.now_ms + 1_000)
    assert wallet_secrets.revoke(project, DEFAULT_KEY_ID) == revoked
    assert project.wallets.secrets[DEFAULT_KEY_ID] == revoked
