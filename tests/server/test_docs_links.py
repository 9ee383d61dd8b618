"""Where a problem and an exchange say that the server shows their operation."""

import re

from httpx import Client
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from mockserver import errors
from mockserver.manual import find_page
from mockserver.server.answering.docs_links import docs_link
from mockserver.server.assembly import ENDPOINTS, assemble
from mockserver.state.world import World
from tests.tables import cases

CONTROL = "/_mock/docs?api=control"


def test_a_problem_of_the_control_api_leads_to_its_operation(api: Client) -> None:
    problem = api.post("/_mock/projects/-/clock/advance", json={"seconds": -1}).json()
    assert problem["docs"] == f"{CONTROL}&operation=AdvanceClock&error=invalid_request#/Clock/AdvanceClock"


def test_a_problem_without_an_operation_leads_to_the_page(api: Client) -> None:
    assert api.get("/_mock/nowhere").json()["docs"] == f"{CONTROL}&error=unknown_path"


def test_an_error_of_the_imitated_api_has_no_member_of_the_mock(api: Client) -> None:
    assert set(api.get("/v1/contracts/con_none").json()["error"]) == {"type", "message", "code"}


@cases(
    "path, docs",
    ("/v1/contracts", "?operation=GetContracts#/Contracts/GetContracts"),
    ("/v1/contracts/1", "?operation=GetContract&error=contract_not_found#/Contracts/GetContract"),
    ("/v1/accounts", "?operation=GetAccounts&error=invalid_parameters#/Accounts%20%28v1%29/GetAccounts"),
)
def test_an_exchange_leads_to_its_operation_and_error(api: Client, path: str, docs: str) -> None:
    api.get(path)
    assert api.get("/_mock/projects/-/journal/1").json()["docs"] == f"/_mock/docs{docs}"


def test_a_code_that_a_rule_made_up_is_in_no_link(api: Client) -> None:
    rule = {"when": "GetContracts", "then": {"answer": {"status": 418, "body": {"code": "teapot"}}}}
    assert api.post("/_mock/projects/-/scenarios", json={"rules": [rule]}).is_success
    api.get("/v1/contracts")
    assert "error=" not in api.get("/_mock/projects/-/journal/2").json()["docs"]


def test_below_a_mount_links_begin_with_its_path() -> None:
    app = Starlette(routes=[Mount("/tools/mock", app=assemble(World()))])
    with TestClient(app) as client:
        assert client.get("/tools/mock/_mock/nowhere").json()["docs"].startswith(f"/tools/mock{CONTROL}")


# --- as Markdown -----------------------------------------------------------------------------------

MARKDOWN = {"accept": "text/markdown, text/html;q=0.9, */*;q=0.1"}


def test_the_link_of_a_problem_answers_markdown_when_asked(api: Client) -> None:
    problem = api.post("/_mock/projects/-/clock/advance", json={"seconds": -1}).json()
    answer = api.get(problem["docs"], headers=MARKDOWN)
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "accept" in answer.headers["vary"]
    error, operation = answer.text.split("\n### ")
    assert error.startswith("### `invalid_request`\n")
    assert operation.startswith("`POST /_mock/projects/{p}/clock/advance`\n")
    assert "`AdvanceClock`" in operation


def test_the_link_of_an_exchange_explains_error_and_operation(api: Client) -> None:
    api.get("/v1/contracts/con_none")
    text = api.get(api.get("/_mock/projects/-/journal/1").json()["docs"], headers=MARKDOWN).text
    assert text.startswith("### `contract_not_found`\n")
    assert "\n# `GetContract`\n" in text


def test_every_operation_and_every_error_has_its_section(api: Client) -> None:
    for endpoint in ENDPOINTS:
        text = api.get(docs_link(endpoint, endpoint.family, ""), headers=MARKDOWN).text
        assert f"`{endpoint.operation}`" in text
    for row in errors.catalogue():
        link = docs_link(None, ENDPOINTS[0].family, "", row.code)
        assert f"`{row.code}`" in api.get(link, headers=MARKDOWN).text


@cases("accept", "text/html", "*/*", "", "application/json")
def test_all_others_get_the_page(api: Client, accept: str) -> None:
    answer = api.get("/_mock/docs?error=rate_limited", headers={"accept": accept})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["vary"] == "accept"


def test_without_a_name_markdown_begins_with_the_first_page(api: Client) -> None:
    assert api.get("/_mock/docs", headers=MARKDOWN).text.startswith("# Documentation\n")


@cases("path", "/_mock/docs", "/_mock/docs?operation=GetContract&error=contract_not_found")
def test_a_link_in_markdown_leads_to_a_page_of_the_server(api: Client, path: str) -> None:
    text = api.get(path, headers=MARKDOWN).text
    links = re.findall(r"\]\((docs/[^)#]+)", text)
    assert len(links) > 3
    for link in links:
        page = api.get(f"/_mock/{link}")
        assert page.headers["content-type"] == "text/markdown; charset=utf-8"
        for other in re.findall(r"\]\(([\w-]+\.md)", page.text):
            assert find_page(other), f"{link} leads to {other}"


def test_a_page_ends_with_md_and_may_be_one_section(api: Client) -> None:
    assert api.get("/_mock/docs/faults.md").text.startswith("# Faults\n")
    section = api.get("/_mock/docs/errors.md", params={"section": "rate_limited"}).text
    assert section.startswith("### `rate_limited`\n")


@cases(
    "path, detail",
    ("/_mock/docs/fualts.md", "'fualts.md' is not a page of the documentation (did you mean faults?)."),
    ("/_mock/docs?error=rate_limit", "(did you mean rate_limited?)."),
    ("/_mock/docs?operation=GetContrct", "(did you mean GetContract?)."),
)
def test_what_is_not_documented_is_named_with_the_nearest(api: Client, path: str, detail: str) -> None:
    answer = api.get(path, headers=MARKDOWN)
    assert answer.status_code == 404
    assert answer.json()["type"] == "urn:mockserver:unknown-page"
    assert answer.json()["detail"].endswith(detail)
