"""Recordings: made by the server, and files of them that are opened, in a browser."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]
MEBIBYTE = 1024 * 1024
PAYLOAD = "<img src=x onerror='window.hacked=1'>"
HEAD = [
    {"mockserver_recording": 1},
    {"meta": {"at": "2026-01-01T00:00:00.000Z", "masked": True}},
    {"begin": {}},
]
BEGUN = '{"mockserver_recording": 1}\n{"begin":{}}\n'


def request(n: int, path: str = "/v1/contracts", **members: Any) -> dict[str, Any]:
    """The line of a request."""
    return {"n": n, "request": {"method": "GET", "path": path, "headers": [], **members}}


def answer(n: int, status: int = 200, **members: Any) -> dict[str, Any]:
    """The line of an answer."""
    return {"n": n, "answer": {"status": status, "headers": [], **members}, "now_ms": 1_767_225_600_000}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a recording's file is."""
    return tmp_path / "run.jsonl"


def write(file: Path, *lines: dict[str, Any], end: str = "\n") -> None:
    """Write lines behind those that a recording begins with."""
    file.write_text("\n".join(json.dumps(line) for line in (*HEAD, *lines)) + end, encoding="utf-8")


def choose(page: "Page", file: Path) -> None:
    """Choose a file in the dialog."""
    page.set_input_files("input[type=file]", file)


def test_the_server_is_recorded_and_the_recording_is_downloaded(open_view: Open, client: Client) -> None:
    page = open_view("recordings")
    page.click("button:has-text('Start')")
    page.wait_for_selector(".badge:has-text('recording')")
    client.get("/v1/contracts")
    page.click("button:has-text('Stop')")
    page.click("dialog button:has-text('Stop')")
    page.wait_for_selector(".badge:has-text('stopped')")
    with page.expect_download() as coming:
        page.click("button:has-text('Download')")
    assert "/v1/contracts" in coming.value.path().read_text(encoding="utf-8")


def test_a_recording_is_opened_and_its_secrets_are_masked(
    open_view: Open, client: Client, server: LiveServer, shop: MockProject, file: Path
) -> None:
    server.control.start_recording()
    client.get("/v1/contracts")
    user = {"name": "Ada", "email": "ada@example.com", "password": "long enough"}
    key = {"authorization": "", "x-project-key": shop.publishable_key}
    client.post("/iam/v2/auth/sign-up/email", json=user, headers=key)
    file.write_bytes(server.control.stop_recording())
    page = open_view("recordings")
    with page.expect_file_chooser() as asked:
        page.click("button:has-text('Open a file')")
    asked.value.set_files(file)
    page.wait_for_selector("text=run.jsonl: 2 exchanges")
    page.wait_for_selector(".row >> nth=1")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector(".detail h2:has-text('/iam/v2/auth/sign-up/email')")
    assert "Ada" in page.locator(".detail").inner_text()
    assert "long enough" not in page.content()
    page.click("text=with secrets")
    page.wait_for_function("() => navigator.clipboard.readText().then(text => text.includes('long enough'))")
    page.keyboard.press("Escape")
    page.wait_for_selector(".detail", state="hidden")
    page.keyboard.press("c")
    page.wait_for_selector("dialog pre:has-text('/_mock/recording/exchanges') >> nth=0")


def test_a_file_is_dropped(open_view: Open) -> None:
    page = open_view("recordings")
    text = "\n".join(json.dumps(line) for line in (*HEAD, request(1), answer(1))) + "\n"
    dropped = page.evaluate_handle(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.jsonl"));
          return data;
        }""",
        text,
    )
    page.dispatch_event(".view", "drop", {"dataTransfer": dropped})
    page.wait_for_selector("text=dropped.jsonl: 1 exchange")
    page.wait_for_selector(".row >> text=200")


def test_what_became_of_each_exchange_is_marked(open_view: Open, file: Path) -> None:
    write(
        file,
        request(1),
        answer(1, 503, fault="reset"),
        request(2),
        {"n": 2, "withheld": "answer"},
        {"n": 3, "withheld": "request"},
        answer(3),
        request(4),
    )
    page = open_view("recordings")
    choose(page, file)
    page.wait_for_selector(".row >> nth=3")
    rows = page.locator(".row").all_inner_texts()
    for row, texts in zip(
        rows,
        (("503", "reset"), ("answer withheld",), ("request withheld",), ("the recording has no answer",)),
        strict=True,
    ):
        assert all(text in row for text in texts)
    page.wait_for_selector("text=not ended in order")
    page.wait_for_selector(".badge:has-text('masked')")
    page.click("button:has-text('Failed')")
    page.wait_for_selector("text=3 of 4 exchanges")


def test_a_torn_line_is_said(open_view: Open, file: Path) -> None:
    write(file, request(1), answer(1), request(2), end="")
    page = open_view("recordings")
    choose(page, file)
    page.wait_for_selector("text=The last line has no end")
    page.wait_for_selector("text=1 exchange")


@cases(
    "text, reason",
    ("", "Line 1: it is not the first line of a recording"),
    ("{}\n", "Line 1: it is not the first line"),
    ('{"mockserver_recording": 3}\n', "Line 1: the format is 3, and this page reads up to 2"),
    ('{"mockserver_recording": 1}\n', "Line 1: the recording ends before its first request"),
    ('{"mockserver_recording": 1}\n[1]\n', "Line 2: it is not a JSON object"),
    (BEGUN + '{"n":2,"request":{}}\n', "Line 3: the exchange after 0"),
    (BEGUN + '{"n":9,"answer":{}}\n', "Line 3: there is no exchange 9"),
    (BEGUN + '{"<b>":1}\n', 'Line 3: "<b>" is no member of a step'),
    ('{"mockserver_recording": 1}\n' + "[" * 200_000 + "\n", "Line 2: it is not JSON"),
    ("<img src=x onerror=window.hacked=1>\n", "Line 1: it is not JSON"),
    ("\udcff\n", "Line 1: it is not JSON"),
)
def test_what_is_no_recording_is_refused(open_view: Open, file: Path, text: str, reason: str) -> None:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    page = open_view("recordings")
    choose(page, file)
    page.wait_for_selector("[role=alert]:has-text('run.jsonl cannot be shown')")
    assert reason in page.locator("[role=alert]:visible").inner_text()
    assert page.evaluate("window.hacked") is None


def test_hostile_texts_are_text_and_refused_lines_named(open_view: Open, file: Path) -> None:
    deep = json.loads("[" * 900 + "]" * 900)
    write(
        file,
        request(1, PAYLOAD, query=PAYLOAD, headers=[[PAYLOAD, PAYLOAD]], body=PAYLOAD),
        answer(1, headers=[[PAYLOAD, PAYLOAD]], body=PAYLOAD, fault=PAYLOAD),
        request(2, body={"base64": PAYLOAD}),
        answer(2),
        {"n": 3, "request": {"method": deep, "path": PAYLOAD}},
        request(4, headers=[]),
        answer(4, status=7),
    )
    page = open_view("recordings")
    choose(page, file)
    page.wait_for_selector(".row:has-text('Line 8')")
    page.wait_for_selector(".row:has-text('Line 9')")
    for place in range(4):
        page.locator(".row").nth(place).click()
        page.wait_for_selector(f".detail[data-n='{place + 1}'] >> button:has-text('Close')")
    page.locator(".row").nth(1).click()
    page.wait_for_selector(".detail >> text=Line 6: exchanges")
    page.locator(".row").nth(0).click()
    page.wait_for_selector(".detail h2:has-text('<img src=x')")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, main script").count() == 0


def test_a_file_of_a_hundred_mebibytes_takes_little_memory(open_view: Open, file: Path) -> None:
    body = "x" * 100_000
    with file.open("w", encoding="utf-8") as out:
        out.writelines(json.dumps(line) + "\n" for line in HEAD)
        for n in range(1, 1_050):
            out.write(json.dumps(request(n, f"/v1/contracts/con_{n}")) + "\n")
            out.write(json.dumps(answer(n, body=body)) + "\n")
    assert file.stat().st_size > 100 * MEBIBYTE
    page = open_view("recordings")
    devtools = page.context.new_cdp_session(page)
    choose(page, file)
    page.wait_for_selector("text=run.jsonl: 1,049 exchanges", timeout=60_000)
    devtools.send("HeapProfiler.collectGarbage")
    assert devtools.send("Runtime.getHeapUsage")["usedSize"] < 30 * MEBIBYTE
    page.evaluate("document.querySelector('.vlist').scrollTop = 1e9")
    page.wait_for_selector("text=con_1049")
    page.locator(".row:has-text('con_1049')").click()
    page.wait_for_selector(".detail h2:has-text('con_1049')")
