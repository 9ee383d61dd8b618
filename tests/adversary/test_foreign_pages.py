"""Web pages that a developer has open, against the control API of a server on the same machine."""

from collections.abc import Callable, Iterator

import pytest
from httpx import URL, Client

from mockserver.server.assembly import ENDPOINTS
from mockserver.state.project import Project
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.adversary.browser import SIMPLE_TYPES, Page, Seen
from tests.tables import cases
from tests.thoroughness import sampled

EVIL = "http://evil.example"
FOREIGN = [
    EVIL,
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
]
FOREIGN += ["http://192.168.1.66", "chrome-extension://abcdefgh", "http://evil.example:4242", "file://"]
# Users' browsers ask nodes, the share service and the embedded wallet from any site, with a user's token.
CONTROL = [endpoint for endpoint in ENDPOINTS if not endpoint.family.is_for_pages]
WRITES = [endpoint for endpoint in CONTROL if endpoint.method != "GET"]


@pytest.fixture(params=FOREIGN)
def page(request: pytest.FixtureRequest, http: Client) -> Page:
    """A page of each foreign origin."""
    return Page(request.param, http)


@pytest.fixture
def unharmed(victim: MockProject) -> Iterator[Callable[[], bool]]:
    """Whether the victim is as it was: its mails, its clock and its settings."""
    victim.change(one_time_code="424242")
    victim.snapshot("before")
    before = (victim.clock.now, victim.call("GET", "/settings"), victim.call("GET", "/snapshots"))

    def is_unharmed() -> bool:
        return before == (victim.clock.now, victim.call("GET", "/settings"), victim.call("GET", "/snapshots"))

    yield is_unharmed
    assert is_unharmed()


def url_in(server: LiveServer, path: str, victim: MockProject) -> str:
    """The URL of an endpoint of the control API, in the victim's project."""
    for name, value in {"p": victim.id, "provider": "google"}.items():
        path = path.replace(f"{{{name}}}", value)
    return server.url + path.replace("{", "").replace("}", "")


# --- reading --------------------------------------------------------------------------------------------


def test_a_page_reads_nothing_of_the_control_api(page: Page, server: LiveServer, victim: MockProject) -> None:
    for endpoint in CONTROL:
        if endpoint.method == "GET":
            assert page.fetch(url_in(server, endpoint.path, victim)).text is None, endpoint.operation


@cases("kind", "img", "script", "iframe")
def test_the_server_refuses_embedded_requests(server: LiveServer, http: Client, kind: str) -> None:
    page = Page(EVIL, http)
    page.embed(f"{server.url}/_mock/projects", kind)
    assert page.answered == [403]


def test_a_link_from_another_site_may_be_followed(server: LiveServer, http: Client) -> None:
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert http.get(f"{server.url}/_mock/openapi.json", headers=followed).status_code == 200


# --- changing -------------------------------------------------------------------------------------------


@cases("sends_metadata", True, False)
def test_a_page_changes_nothing_by_fetch(
    page: Page, server: LiveServer, victim: MockProject, unharmed: Callable[[], bool], sends_metadata: bool
) -> None:
    page.sends_metadata = sends_metadata
    for endpoint in sampled(WRITES, 4):
        url = url_in(server, endpoint.path, victim)
        json = {"content-type": "application/json"}
        for seen in (
            page.fetch(url, endpoint.method),
            page.fetch(url, endpoint.method, headers=json, body=b"{}"),
            page.fetch(url, endpoint.method, no_cors=True),
            page.fetch(url, endpoint.method, headers={"x-mockserver-token": "guess"}),
        ):
            assert seen.text is None
        assert unharmed(), endpoint.operation


def test_a_page_may_ask_a_node_and_not_control_it(
    page: Page, server: LiveServer, victim: MockProject, unharmed: Callable[[], bool]
) -> None:
    json = {"content-type": "application/json"}
    ask = b'{"id": 1, "method": "%s"}'
    for method, is_allowed in ((b"eth_chainId", True), (b"evm_mine", False), (b"evm_snapshot", False)):
        seen = page.fetch(victim.rpc_url(84532), "POST", headers=json, body=ask % method)
        assert ("result" in (seen.text or "")) == is_allowed
    assert unharmed()


@cases("encoding", *SIMPLE_TYPES, f"{SIMPLE_TYPES[2]}; application/json")
def test_a_page_changes_nothing_by_a_form(
    page: Page, server: LiveServer, victim: MockProject, unharmed: Callable[[], bool], encoding: str
) -> None:
    for path in (
        "/settings",
        "/clock/advance",
        "/reset",
        "/snapshots/before/restore",
        "/scenarios",
        "/fates",
    ):
        for body in (b'{"one_time_code": "1"}', b"seconds=60", b""):
            page.submit(f"{server.url}/_mock/projects/{victim.id}{path}", body, encoding)
    assert unharmed()


def test_a_body_without_preflight_is_refused_without_origin_too(
    server: LiveServer, http: Client, victim: MockProject
) -> None:
    body = b'{"seconds": 60}'
    url = f"{server.url}/_mock/projects/{victim.id}/clock/advance"
    types = [*SIMPLE_TYPES, "", "text/plain; application/json", "text/plain, application/json", "text/json x"]
    for content_type in types:
        headers = {"content-type": content_type} if content_type else {}
        assert http.post(url, content=body, headers=headers).status_code == 415, content_type
    for content_type in ("application/json", "application/json; charset=utf-8", "application/problem+json"):
        headers = {"content-type": content_type}
        assert http.post(url, content=body, headers=headers).status_code == 200, content_type


def test_a_path_in_disguise_is_the_same_path(server: LiveServer, http: Client, victim: MockProject) -> None:
    page = Page(EVIL, http)
    for path in ("/%5fmock/projects", "/_mock%2Fprojects", "/./_mock/projects", "//_mock/projects"):
        seen = page.fetch(server.url + path)
        assert seen.text is None or victim.secret_key not in seen.text


# --- rebinding ------------------------------------------------------------------------------------------


@cases(
    "host",
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "mockserver",
    "evil.example:80@localhost",
    "localhost evil.example",
    "localhost, evil.example",
    "[::1",
    "",
)
def test_a_page_that_rebinds_its_name_is_told_nothing(
    server: LiveServer, http: Client, victim: MockProject, host: str
) -> None:
    headers = {"host": host, "sec-fetch-site": "same-origin"}
    listed = http.get(f"{server.url}/_mock/projects", headers=headers)
    assert (listed.status_code, listed.json()["type"]) == (403, "urn:mockserver:host-refused")
    advanced = http.post(
        f"{server.url}/_mock/projects/{victim.id}/clock/advance", headers=headers, json={"seconds": 60}
    )
    assert advanced.status_code == 403


def test_a_rebound_page_does_neither_read_nor_change(
    server: LiveServer, http: Client, victim: MockProject, unharmed: Callable[[], bool]
) -> None:
    rebound = "http://evil.example:4242"
    page = Page(rebound, http)
    own = {"content-type": "application/json"}
    attempts: list[Seen] = [
        page.fetch(f"{rebound}/_mock/projects"),
        page.fetch(f"{rebound}/_mock/projects/{victim.id}/reset", "POST"),
        page.fetch(f"{rebound}/_mock/projects/{victim.id}/settings", "PUT", headers=own, body=b"{}"),
        page.submit(f"{rebound}/_mock/projects/{victim.id}/reset", b""),
    ]
    assert {seen.status for seen in attempts} == {403}
    assert unharmed()


@cases(
    "host",
    "localhost",
    "LOCALHOST:1",
    "shop.localhost",
    "127.0.0.1:9",
    "127.9.9.9",
    "[::1]:4242",
    "localhost.",
)
def test_names_and_addresses_of_the_machine_are_answered(server: LiveServer, http: Client, host: str) -> None:
    assert http.get(f"{server.url}/_mock/projects", headers={"host": host}).status_code == 200


# --- what goes on working -------------------------------------------------------------------------------


@cases("origin", "http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080")
def test_pages_of_the_machine_itself_may_change_things(
    server: LiveServer, http: Client, victim: MockProject, origin: str
) -> None:
    url = f"{server.url}/_mock/projects/{victim.id}/reset"
    assert http.post(url, headers={"origin": origin, "sec-fetch-site": "cross-site"}).status_code == 200


@cases(
    "headers, status",
    ({"origin": "Titanoboa"}, 200),
    ({"origin": "Titanoboa", "sec-fetch-site": "cross-site"}, 403),
    ({"origin": "Titanoboa", "host": "evil.example"}, 403),
    ({"origin": "NULL"}, 403),
    ({"origin": "evil.example:80"}, 403),
    ({"origin": "Titanoboa, http://evil.example"}, 403),
    ({"origin": ""}, 403),
)
def test_a_program_may_give_its_name_as_its_origin(
    server: LiveServer, http: Client, victim: MockProject, headers: dict[str, str], status: int
) -> None:
    body = {"id": 1, "method": "evm_snapshot"}
    assert http.post(victim.rpc_url(84532), json=body, headers=headers).status_code == status


def test_the_control_api_has_no_cors(server: LiveServer, http: Client) -> None:
    for origin in ("http://localhost:3000", EVIL):
        answered = http.get(f"{server.url}/_mock/health", headers={"origin": origin})
        assert answered.status_code == 200
        assert not [name for name in answered.headers if name.startswith("access-control-")]
        preflight = http.options(
            f"{server.url}/_mock/projects",
            headers={"origin": origin, "access-control-request-method": "POST"},
        )
        assert preflight.status_code == 405
        assert not [name for name in preflight.headers if name.startswith("access-control-")]


def test_the_public_api_is_for_every_origin(server: LiveServer, http: Client, victim: MockProject) -> None:
    page = Page("https://shop.example", http)
    key = {"authorization": f"Bearer {victim.publishable_key}", "content-type": "application/json"}
    url = f"{server.url}/iam/v2/auth/sign-in/anonymous"
    assert page.fetch(url, "POST", headers=key, body=b"{}").status == 200


def test_the_consent_page_takes_other_browsers(server: LiveServer, http: Client, victim: MockProject) -> None:
    start = {"provider": "google", "callbackURL": "http://localhost:3000/"}
    url = http.post("/iam/v2/auth/sign-in/social", json=start, headers=victim.headers()).json()["url"]
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    shown = http.get(url, headers=followed)
    assert shown.status_code == 200
    assert "frame-ancestors 'none'" in shown.headers["content-security-policy"]
    # With `no-referrer` browsers send `Origin: null` with the page's own form.
    assert shown.headers["referrer-policy"] == "same-origin"
    form = f"state={URL(url).params['state']}&decision=refuse".encode()
    Page(EVIL, http).submit(url, form)
    assert Page(server.url, http).submit(url, form).status == 302


def test_no_reading_call_of_the_control_api_changes_anything(backend: Client, project: Project) -> None:
    account = backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()["id"]
    known = {"p": project.id, "acc": account, "chain": "80002", "address": "0x" + "11" * 20, "n": "1"}
    before = (repr(project.snapshot()), len(backend.get("/_mock/projects").json()["data"]))
    for endpoint in CONTROL:
        if endpoint.method == "GET":
            path = endpoint.path
            for name, value in known.items():
                path = path.replace(f"{{{name}}}", value)
            backend.get(path)
    assert (repr(project.snapshot()), len(backend.get("/_mock/projects").json()["data"])) == before
