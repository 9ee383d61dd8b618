"""The page that shows the OpenAPI documents."""

import gzip
import re

from httpx import Client

from mockserver.server.page.viewer import viewer_file
from tests.tables import cases

FILES = ("page.css", "page.js", "swagger-ui.css", "swagger-ui-bundle.js", "LICENSE")


def test_the_page_loads_only_existing_files_of_this_server(api: Client) -> None:
    page = api.get("/_mock/docs").text
    loaded = re.findall(r'(?:src|href)="(.*?)"', page)
    assert not [each for each in loaded if "//" in each]
    for each in loaded:
        if not each.startswith("data:"):
            assert api.get(f"/_mock/{each}").status_code == 200, each


def test_the_page_forbids_browsers_to_run_or_load_anything_else(api: Client) -> None:
    response = api.get("/_mock/docs")
    policy = dict(part.split(" ", 1) for part in response.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert "<script>" not in response.text
    assert " style=" not in response.text


@cases("name", *FILES)
def test_files_of_the_page_say_what_they_are(api: Client, name: str) -> None:
    response = api.get(f"/_mock/docs/{name}")
    kind = {"js": "text/javascript", "css": "text/css"}.get(name.rpartition(".")[2], "text/plain")
    assert response.headers["content-type"] == f"{kind}; charset=utf-8"
    assert response.headers["x-content-type-options"] == "nosniff"


def test_the_viewer_is_sent_compressed_to_those_who_take_that() -> None:
    plain, packed = (viewer_file("swagger-ui.css", accepted) for accepted in ("identity", "br, gzip"))
    assert plain is not None
    assert packed is not None
    assert isinstance(plain.body, bytes)
    assert isinstance(packed.body, bytes)
    assert "content-encoding" not in dict(plain.headers)
    assert dict(packed.headers)["content-encoding"] == "gzip"
    assert dict(packed.headers)["vary"] == "accept-encoding"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) * 4 < len(plain.body)


def test_the_page_has_both_documents_and_no_other(api: Client) -> None:
    for document in ("public", "control"):
        assert api.get("/_mock/docs", params={"api": document}).status_code == 200
    assert api.get("/_mock/docs", params={"api": "private"}).status_code == 400


@cases("name", "nothing.js", "page.html", "__init__.py", "..%2Fapp.py")
def test_what_is_no_file_of_the_page_is_not_served(api: Client, name: str) -> None:
    response = api.get(f"/_mock/docs/{name}")
    assert (response.status_code, response.json()["type"]) == (404, "urn:mockserver:unknown-file")
