"""The editor of scenarios: completion from the schema, findings at their lines, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.tables import cases

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[[str], "Page"]
OPTIONS = ".cm-tooltip-autocomplete li"
PAYLOAD = "<img src=x onerror='window.hacked=1'>"

PLACES = {
    "the root": ("", ["name", "rules", "given"]),
    "a rule": ("rules:\n  - ", ["when", "then", "name"]),
    "a second member": ("rules:\n  - when: GetContracts\n    ", ["then", "optional"]),
    "a list without indentation": ("rules:\n- ", ["when", "then"]),
    "an operation": ("rules:\n  - when: ", ["GetContracts", "CreateTransaction"]),
    "an operation in braces": ("rules:\n  - when: {call: ", ["GetContracts"]),
    "a condition in braces": ("rules:\n  - when: {call: GetContracts, ", ["nth", "query"]),
    "an action": ("rules:\n  - when: GetContracts\n    then:\n      ", ["answer", "fault", "delay"]),
    "a fault": ("rules:\n  - then:\n      fault: ", ["empty_response", "timeout"]),
    "a setting": ("settings:\n  ", ["one_time_code", "strict"]),
    "a yes or no": ("rules:\n  - then: {}\n    optional: ", ["true", "false"]),
}


def options_at(page: "Page", text: str) -> list[str]:
    """What the completion offers at the end of a text."""
    found: list[str] = page.evaluate(
        """async text => {
          const { completionsAt } = await import("./page/completion.js");
          const schema = await (await fetch("scenario.schema.json")).json();
          return completionsAt(schema, text, text.length).options.map(({ label }) => label);
        }""",
        text,
    )
    return found


def write(page: "Page", text: str) -> None:
    """Replace the text of the editor."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


@cases("place", *PLACES)
def test_completion_knows_the_schema_at(open_view: Open, place: str) -> None:
    text, expected = PLACES[place]
    found = options_at(open_view("scenarios"), text)
    assert not set(expected) - set(found)


def test_what_a_rule_has_already_is_not_offered(open_view: Open) -> None:
    assert "when" not in options_at(open_view("scenarios"), "rules:\n  - when: GetContracts\n    ")


def test_what_is_written_stays_when_the_page_is_loaded_anew(open_view: Open) -> None:
    page = open_view("scenarios")
    page.click("text=Open the editor")
    write(page, "name: half written")
    page.reload()
    page.wait_for_selector(".cm-content:has-text('half written')")


def test_what_is_too_large_to_be_kept_does_not_hold_the_view(open_view: Open) -> None:
    page = open_view("scenarios")
    page.evaluate("document.querySelector('textarea').value = 'x'.repeat(6_000_000)")
    page.click("nav >> text=Journal")
    page.wait_for_selector("textarea", state="detached")


def test_the_editor_is_loaded_when_it_is_opened(open_view: Open, server: LiveServer) -> None:
    page = open_view("scenarios")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.fill("textarea", "name: half written")
    page.click("text=Open the editor")
    page.wait_for_selector(".cm-content:has-text('half written')")
    assert [url for url in asked if url.endswith("codemirror.js")]
    assert all(url.startswith(server.url) for url in asked)
    assert page.url.endswith("scenarios?edit=true")


def test_keys_and_values_are_completed_and_loaded(open_view: Open, shop: MockProject) -> None:
    page = open_view("scenarios?edit=true")
    page.wait_for_selector(".cm-content")
    page.keyboard.type("rul")
    page.wait_for_selector(f"{OPTIONS}:has-text('rules')")
    page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    page.keyboard.type("[{then: {answer: 503}, when: GetContrac")
    page.wait_for_selector(f"{OPTIONS}:has-text('GetContracts')")
    page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    page.click("button:has-text('Load')")
    page.wait_for_selector(".scenario td:has-text('did not fire')")
    assert "when: GetContract" in shop.call("GET", "/scenarios")["data"][0]["text"]


def test_findings_are_underlined_while_it_is_written(open_view: Open) -> None:
    page = open_view("scenarios?edit=true")
    page.wait_for_selector(".cm-content")
    write(page, "name: outage\nrules:\n  - wen: GetContracts\n    then: {answer: 503}")
    page.wait_for_selector(".cm-line:has-text('wen') .cm-lintRange-error")
    page.hover(".cm-lintRange-error")
    page.wait_for_selector(".cm-tooltip-lint:has-text('did you mean when')")
    page.click("button:has-text('Load')")
    page.click(".findings button >> nth=0")
    selected = page.evaluate("document.querySelector('.editor').shadowRoot.activeElement.className")
    assert "cm-content" in selected


def test_the_pages_keys_are_letters_in_the_editor(open_view: Open) -> None:
    page = open_view("scenarios?edit=true")
    page.wait_for_selector(".cm-content")
    page.keyboard.type("# c?/jk")
    page.wait_for_selector(".cm-content:has-text('# c?/jk')")
    assert page.locator("dialog").count() == 0
    # While a completion is being looked for, Escape ends that.
    page.wait_for_timeout(300)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog:has-text('Next, previous row')")


def test_a_loaded_scenario_is_edited_as_a_copy(open_view: Open, shop: MockProject) -> None:
    shop.load("name: first\nrules: []\n")
    page = open_view("scenarios")
    page.click("button:has-text('Edit a copy')")
    page.wait_for_selector(".cm-content:has-text('name: first')")


def test_hostile_texts_are_text_in_the_editor(open_view: Open, shop: MockProject) -> None:
    page = open_view("scenarios?edit=true")
    page.wait_for_selector(".cm-content")
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if message.type == "error" else None)
    write(page, f'name: "{PAYLOAD}"\nrules:\n  - "{PAYLOAD}": 1\n    when: {{call: "{PAYLOAD}"}}')
    page.wait_for_selector(".cm-lintRange-error")
    page.hover(".cm-lintRange-error >> nth=0")
    page.wait_for_selector(".cm-tooltip-lint:has-text('<img')")
    page.click("button:has-text('Load')")
    page.wait_for_selector(".findings >> text=<img")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert [text for text in refused if "Content Security Policy" in text] == []


def test_what_the_editor_does_is_shown_as_curl(open_view: Open) -> None:
    page = open_view("scenarios?edit=true")
    page.wait_for_selector(".cm-content")
    write(page, "name: outage")
    page.wait_for_timeout(500)
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    page.wait_for_selector("dialog pre:has-text('/_mock/scenarios/check')")
