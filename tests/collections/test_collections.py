"""The requests for Postman, Bruno and editors: each of them succeeds in its order, in every form."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from httpx import Client, Response

from mockserver import cli
from mockserver.launch.application import AppOptions, build_app
from mockserver.launch.options import read_clock
from mockserver.request_collections.bruno import to_bruno
from mockserver.request_collections.http_file import to_http
from mockserver.request_collections.postman import to_postman
from mockserver.request_collections.references import Reference
from mockserver.request_collections.tour import default_values, read_tour
from mockserver.server.assembly import ENDPOINTS
from tests.tables import cases
from tests.transport import InProcessTransport

URL = "http://127.0.0.1:4242"
TOUR = read_tour()
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


class Sent(NamedTuple):
    """A request as a form has it, with variables."""

    method: str
    url: str
    headers: dict[str, str]
    body: str


def in_postman(values: Mapping[str, str]) -> list[Sent]:
    collection = json.loads(to_postman(TOUR, values))
    requests = [item["request"] for folder in collection["item"] for item in folder["item"]]
    return [
        Sent(
            request["method"],
            request["url"],
            {header["key"]: header["value"] for header in request["header"]},
            request.get("body", {}).get("raw", ""),
        )
        for request in requests
    ]


def in_http(values: Mapping[str, str]) -> list[Sent]:
    found = []
    for part in re.split(r"^### .*$", to_http(TOUR, values), flags=re.MULTILINE)[1:]:
        lines = [line for line in part.strip().splitlines() if not line.startswith("# @")]
        if not lines:
            continue
        head, _, rest = "\n".join(lines).partition("\n\n")
        first, *headers = head.splitlines()
        body = rest.partition("> {%")[0].strip()
        method, _, url = first.partition(" ")
        found.append(Sent(method, url, _headers(headers), body))
    return found


def in_bruno(values: Mapping[str, str]) -> list[Sent]:
    files = to_bruno(TOUR, values)
    names = sorted(name for name in files if re.fullmatch(r"\d+ .*/\d+ .*\.bru", name))
    return [_in_bru(files[name]) for name in names]


def _in_bru(text: str) -> Sent:
    blocks = dict(re.findall(r"^([\w:-]+) \{\n(.*?)^\}$", text, re.MULTILINE | re.DOTALL))
    (method,) = blocks.keys() & {"get", "post", "put", "delete"}
    url = re.findall(r"url: (.*)", blocks[method])[0]
    body = re.sub(r"^  ", "", blocks.get("body:json", ""), flags=re.MULTILINE).strip()
    lines = [line.strip() for line in blocks.get("headers", "").splitlines()]
    return Sent(method.upper(), url, _headers(lines), body)


def _headers(lines: list[str]) -> dict[str, str]:
    pairs = (line.split(": ", 1) for line in lines)
    return dict(pairs)


def test_there_is_a_request_for_every_operation() -> None:
    public = {each.operation for each in ENDPOINTS if each.family.public}
    assert public <= {item.name for item in TOUR.items}


@cases("form", in_postman, in_http, in_bruno)
def test_every_request_succeeds_in_its_order(form: Callable[[Mapping[str, str]], list[Sent]]) -> None:
    values = default_values(TOUR, URL)
    app = build_app(AppOptions(clock=read_clock("frozen")))
    app.start()
    app.open()
    sent = form(values)
    assert len(sent) == len(TOUR.items)
    with Client(transport=InProcessTransport(app), base_url=URL) as client:
        for item, request in zip(TOUR.items, sent, strict=True):
            filled = [_filled(text, values) for text in (request.url, request.body)]
            headers = {name: _filled(value, values) for name, value in request.headers.items()}
            client.cookies.clear()
            answer = client.request(request.method, filled[0], content=filled[1] or None, headers=headers)
            assert answer.status_code == item.status, f"{item.name}: {answer.text}"
            assert "error=" not in answer.headers.get("location", "")
            for reference in item.captures:
                values[reference.variable] = _read(reference, answer)


def _filled(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values[match[1]], text)


def _read(reference: Reference, answer: Response) -> str:
    body = answer.json() if answer.content else None
    return reference.read(body, answer.headers.get("location", ""))


def test_ids_follow_from_the_seed_of_the_server() -> None:
    first, second = default_values(TOUR, URL), default_values(TOUR, URL, seed="other")
    assert first["token_id"] != second["token_id"]
    assert first["project_secret_key"] == second["project_secret_key"] == "sk_test_default"


@cases(
    "url, part, value",
    ("http://x/verify?token=abc&callbackURL=%2F", "?token", "abc"),
    ("http://x/reset/abc?callbackURL=%2Fa", "/", "abc"),
)
def test_a_part_of_a_url_is_taken(url: str, part: str, value: str) -> None:
    reference = Reference("mail", ".data[0].url", part)
    assert reference.read({"data": [{"url": url}]}) == value
    assert reference.variable.startswith("mail_data_0_url")


@cases("form", "postman", "http")
def test_the_command_prints_a_file(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["collection", "--to", form, "--url", "http://mock:1/"]) == 0
    assert "http://mock:1" in capsys.readouterr().out


def test_the_command_writes_a_directory_for_bruno(tmp_path: Path) -> None:
    assert cli.main(["collection", "--to", "bruno", "--out", str(tmp_path / "requests")]) == 0
    assert (tmp_path / "requests" / "bruno.json").is_file()
    texts = [file.read_text(encoding="utf-8") for file in (tmp_path / "requests").rglob("[0-9]*.bru")]
    summaries = {f"docs {{\n  {endpoint.summary}\n}}\n" for endpoint in ENDPOINTS}
    assert texts
    assert all(any(text.endswith(each) for each in summaries) for text in texts)
    folders = sorted(path for path in (tmp_path / "requests").glob("[0-9]*"))
    assert [path.name[:3] for path in folders] == [f"{number:02} " for number in range(1, len(folders) + 1)]
    (first,) = folders[0].glob("01 *.bru")
    assert "  seq: 1\n" in first.read_text(encoding="utf-8")
    assert len(list(tmp_path.rglob("*.bru"))) > len(TOUR.items)


def test_bruno_needs_a_directory(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["collection", "--to", "bruno"])
    assert "--out is required" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["collection", "--to", "http", "--out", str(tmp_path)]) == 3
    assert str(tmp_path) in capsys.readouterr().err
