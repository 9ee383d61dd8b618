""""""

import pytest
from httpx import Client

from tests.operations.auth_social.helpers import bearer, consent, led_to, the_way


@pytest.fixture
def ada(visitor: Client, browser: Client) -> dict[str, str]:
    """Signed in at Google by way of the consent page."""
    return bearer(led_to(consent(browser, the_way(visitor, scopes=["email", "calendar"])))[1]["access_token"])
