"""What goes with an account that is deleted."""

from httpx import Client

from mockserver.state.project import Project
from tests.operations.accounts.helpers import AMOY, SMART, create, listed


def test_a_key_goes_with_the_last_account_that_needs_it(api: Client, project: Project, user: str) -> None:
    owner = create(api, user)
    smart = create(api, user, SMART, account=owner["id"], chainId=AMOY)
    gone = api.delete(f"/v2/accounts/{owner['id']}")
    assert gone.json() == {"id": owner["id"], "object": "account", "deleted": True}
    assert len(project.wallets.keys) == 1
    assert api.delete(f"/v2/accounts/{smart['id']}").status_code == 200
    assert len(project.wallets.keys) == 0
    assert listed(api) == []
    assert api.delete(f"/v2/accounts/{smart['id']}").status_code == 404
