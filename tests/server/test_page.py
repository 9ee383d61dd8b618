"""The page's files, and who gets them."""

import re
from pathlib import Path

from httpx import Client

import mockserver.server.page
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.assembly import assemble
from mockserver.server.page import page_file
from mockserver.state.world import World
from tests.tables import cases
from tests.transport import InProcessTransport

FILES = Path(mockserver.server.page.__file__).parent / "files"
BROWSER = "text/html,application/xhtml+xml"
MOST_LINES = 300


def test_browsers_get_the_page_and_api_clients_their_404(api: Client) -> None:
    for path in ("/", "/_mock"):
        led = api.get(path, headers={"accept": BROWSER})
        assert (led.status_code, led.headers["location"]) == (302, "/_mock/")
    answer = api.get("/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_path")


def test_a_mounted_page_is_below_its_prefix() -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount
    from starlette.testclient import TestClient

    app = Starlette(routes=[Mount("/tools/mock", app=assemble(World()))])
    client = TestClient(app, follow_redirects=False)
    led = client.get("/tools/mock/", headers={"accept": BROWSER})
    assert led.headers["location"] == "/tools/mock/_mock/"
    assert client.get("/tools/mock/_mock/").status_code == 200


def test_looking_leaves_no_trace_in_the_journal(api: Client) -> None:
    api.get("/", headers={"accept": BROWSER})
    api.get("/_mock/")
    assert api.get("/_mock/projects/-/journal").json()["total"] == 0


def test_all_that_the_page_loads_is_there_and_from_this_server(api: Client) -> None:
    shell = api.get("/_mock/").text
    loaded = set(re.findall(r'(?:src|href)="(page/.*?)"', shell))
    assert loaded
    waiting = {name.removeprefix("page/") for name in loaded}
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        answer = api.get(f"/_mock/page/{name}")
        assert answer.status_code == 200, name
        waiting |= set(re.findall(r'from "\./(.*?)"', answer.text)) - seen
    assert seen == {file.name for file in FILES.iterdir()} - {"index.html"}


def test_no_file_names_another_server() -> None:
    allowed = {"http://www.w3.org/2000/svg"}
    for file in FILES.iterdir():
        urls = set(re.findall(r"https?://[A-Za-z0-9][^\"' )]*", file.read_text(encoding="utf-8")))
        assert urls <= allowed, file.name


def test_files_are_small_and_make_no_html_from_text() -> None:
    for file in FILES.iterdir():
        text = file.read_text(encoding="utf-8")
        assert text.count("\n") < MOST_LINES, file.name
        assert not re.search(r"(inner|outer|Adjacent)HTML|document\.write|\beval\(", text), file.name


def test_the_policy_allows_nothing_inline_nor_scripted_html(api: Client) -> None:
    response = api.get("/_mock/")
    policy = dict(part.split(" ", 1) for part in response.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["trusted-types"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "<script>" not in response.text
    assert " style=" not in response.text


@cases("name", "nothing.js", "index.html", "__init__.py", "..%2F__init__.py", "x.css")
def test_what_is_no_file_of_the_page_is_not_served(api: Client, name: str) -> None:
    assert api.get(f"/_mock/page/{name}").json()["type"] == "urn:mockserver:unknown-file"


@cases("name", "./base.css", "../files/base.css")
def test_a_files_name_is_no_path(name: str) -> None:
    assert page_file("base.css", "") is not None
    assert page_file(name, "") is None


def test_a_page_of_another_site_cannot_load_it() -> None:
    with Client(transport=InProcessTransport(assemble(World())), base_url="http://mock") as client:
        assert client.get("/_mock/", headers={"sec-fetch-site": "cross-site"}).status_code == 403
        link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert client.get("/_mock/", headers=link).status_code == 200


def test_with_a_token_the_page_is_open_and_asks_for_it() -> None:
    app = assemble(World(), control=ControlAccess(token="a-token-of-the-operator"))
    with Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        assert client.get("/_mock/").status_code == 200
        assert client.get("/_mock/page/main.js").status_code == 200
        assert client.get("/_mock/projects").status_code == 401
