"""What the API says of a transaction that went wrong."""

from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.transactions.helpers import create
from tests.tables import cases


@cases("reason", "AA31: paymaster deposit too low", "AA99: initCode too small")
def test_entry_point_errors_have_explanations(api: Client, project: Project, reason: str) -> None:
    wished = api.post("/_mock/projects/-/fates", json={"outcome": "failed", "code": reason[:4]})
    assert wished.status_code == 201
    row = create(api, account_of(project, "Simple", held_by="User"))
    assert row["status"] == "failed"
    assert "execution" not in row
    assert "nextAction" not in row
    error = row["receipt"]["error"]
    assert error["reason"] == reason
    assert error["explanation"]["cause"]
    assert error["explanation"]["solution"]


def test_nulls_of_a_wished_fate_are_as_if_unsaid(api: Client, project: Project) -> None:
    wish = {"outcome": "reverted", "reason": None, "after_ms": None, "account_id": None}
    assert api.post("/_mock/projects/-/fates", json=wish).status_code == 201
    assert create(api, account_of(project, "plain"))["receipt"]["error"]["reason"] == "execution reverted"
