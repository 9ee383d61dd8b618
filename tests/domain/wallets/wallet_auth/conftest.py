"""The wallet secret of the project."""

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from mockserver.domain.wallets import wallet_secrets
from mockserver.state.project import Project
from tests.wallet_auth import load_secret


@pytest.fixture
def key(project: Project) -> EllipticCurvePrivateKey:
    """The project's active wallet secret."""
    return load_secret(wallet_secrets.default_secret(project))
