"""The consent pages of social providers."""

from html.parser import HTMLParser

from httpx import URL, Client

from mockserver.domain.identity.social.profiles import register_profile
from mockserver.domain.identity.social.providers import PROVIDERS
from mockserver.state.project import Project
from tests.tables import cases

SIGN_IN = "/iam/v2/auth/sign-in/social"


class Form(HTMLParser):
    """The fields of the page's form, the buttons, and everything it would load from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.fields: list[dict[str, str | None]] = []
        self.buttons: list[str | None] = []
        self.loads: list[str] = []
        self.method: str | None = None
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "form":
            self.method = attributes.get("method")
        elif tag == "input":
            self.fields.append(attributes)
        elif tag == "button":
            self.buttons.append(attributes.get("value"))
        if tag in ("script", "img", "link", "iframe") or "src" in attributes:
            self.loads.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data

    def filled(self) -> dict[str, str]:
        """What a browser sends when only a button is pressed."""
        chosen = [
            field
            for field in self.fields
            if field.get("type") not in ("radio", "checkbox") or "checked" in field
        ]
        return {str(field["name"]): field.get("value") or "" for field in chosen}


def the_way(api: Client, **more: str) -> str:
    answer = api.post(SIGN_IN, json={"provider": "google", "callbackURL": "https://shop.example/"} | more)
    url: str = answer.json()["url"]
    return url


def test_the_page_is_a_form_that_loads_nothing(api: Client) -> None:
    page = api.get(the_way(api))
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    form = Form(page.text)
    assert (form.method, form.loads) == ("post", [])
    assert form.buttons == ["accept", "refuse", "fail"]
    assert "Google" in form.text
    assert "email, profile, openid" in form.text


@cases("hint, address", ({"loginHint": "ada@example.com"}, "ada@example.com"), ({}, "test.user@example.com"))
def test_pressing_accept_signs_in(api: Client, project: Project, hint: dict[str, str], address: str) -> None:
    url = the_way(api, **hint)
    back = api.post(url, data=Form(api.get(url).text).filled() | {"decision": "accept"})
    assert back.status_code == 302
    assert "access_token=" in api.get(back.headers["location"]).headers["location"]
    assert [user.email for user in project.identity.users] == [address]


def test_the_page_offers_whom_the_provider_knows(api: Client, project: Project) -> None:
    for name in ("ada", "grace"):
        email = f"{name}@example.com"
        register_profile(
            project, PROVIDERS["google"], name=name, email=email, email_verified=name == "ada", subject=name
        )
    register_profile(
        project, PROVIDERS["apple"], name="x", email=None, email_verified=False, subject="apple-x"
    )
    project.undo.mark()
    form = Form(api.get(the_way(api)).text)
    offered = [field["value"] for field in form.fields if field["name"] == "profile"]
    assert offered == ["ada", "grace", ""]
    assert form.filled()["profile"] == "ada"
    assert "ada@example.com" in form.text
    assert form.text.count(", not verified") == form.text.count("grace@example.com, not verified") == 1
    assert "no address" not in form.text
    assert Form(api.get(the_way(api, loginHint="grace@example.com")).text).filled()["profile"] == "grace"


def test_names_cannot_write_the_page(api: Client, project: Project) -> None:
    evil = '"><script>alert(1)</script>'
    register_profile(project, PROVIDERS["google"], name=evil, email=None, email_verified=False, subject=evil)
    project.undo.mark()
    page = api.get(the_way(api, loginHint=evil, provider="google")).text
    assert "<script" not in page
    assert evil in [field["value"] for field in Form(page).fields]


def test_a_test_may_choose_the_subject_and_send_json(api: Client, project: Project) -> None:
    url = the_way(api)
    state = URL(url).params["state"]
    given = {"state": state, "email": "ada@example.com", "verified": True, "subject": "ada-1"}
    assert api.post(url, json=given).status_code == 302
    assert [row.id for row in project.identity.profiles] == ["google/ada-1"]


def test_an_unknown_state_is_not_found(api: Client) -> None:
    url = the_way(api)
    for other in (url.replace("state=", "state=x"), url.replace("/google", "/apple")):
        assert api.get(other).status_code == 404
        state = URL(other).params["state"]
        answer = api.post(other, data={"state": state})
        assert (answer.status_code, answer.json()["type"]) == (404, "urn:mockserver:unknown-consent")


@cases("form", {"email": "nobody"}, {"decision": "maybe"}, {"verified": "perhaps"}, {"subject": ""})
def test_a_form_that_is_none_is_refused(api: Client, project: Project, form: dict[str, str]) -> None:
    url = the_way(api)
    assert api.post(url, data={"state": URL(url).params["state"]} | form).status_code == 400
    assert len(project.identity.profiles) == 0


def test_a_persona_that_is_none_is_not_found(api: Client) -> None:
    url = the_way(api)
    assert api.post(url, data={"state": URL(url).params["state"], "profile": "nobody"}).status_code == 404


def test_a_snapshot_holds_open_consent_pages(api: Client) -> None:
    url = the_way(api)
    snapshot = api.post("/_mock/projects/-/snapshots").json()["id"]
    form = {"state": URL(url).params["state"], "email": "ada@example.com"}
    for _ in range(2):
        back = api.post(url, data=form).headers["location"]
        assert "access_token=" in api.get(back).headers["location"]
        api.post(f"/_mock/projects/-/snapshots/{snapshot}/restore")


def test_whom_the_provider_knows_signs_in_as_that_user(api: Client, project: Project) -> None:
    for known in ({"email": "ada@example.com", "subject": "ada-1"}, {"profile": "ada-1"}):
        url = the_way(api)
        back = api.post(url, data={"state": URL(url).params["state"], **known})
        assert "access_token=" in api.get(back.headers["location"]).headers["location"]
    assert [row.id for row in project.identity.profiles] == ["google/ada-1"]
    assert [user.email for user in project.identity.users] == ["ada@example.com"]
