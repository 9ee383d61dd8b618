"""What the pages of operations show is what the server does."""

import json
import re
from pathlib import Path

from docs.pages.causing import codes_to_cause, error_scenario, sent_code
from docs.pages.remedies import remedies
from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.common_errors import EVERYWHERE
from mockserver.api.endpoint import Endpoint
from mockserver.scenario.checking.load import read
from mockserver.scenario.running.apply import apply, unload
from mockserver.server.answering.envelopes import rpc_code_of
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Response
from mockserver.server.assembly import ENDPOINTS, ROUTES, assemble
from mockserver.state.world import World
from tests.tables import cases
from tests.thoroughness import sampled

PAGES = Path(__file__).parents[2] / "docs" / "reference" / "operations"
PUBLIC = [endpoint for endpoint in ENDPOINTS if endpoint.family.public]
_YAML = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_KEY = "pk_test_pagesofoperations"


def send(pipeline: Pipeline, endpoint: Endpoint) -> Response:
    """A call of an operation that names its project, and has nothing else that it needs."""
    path = endpoint.path
    for name in endpoint.parameters:
        path = path.replace(f"{{{name}}}", _KEY if name == "publishable_key" else "x")
    headers = {"host": "127.0.0.1:4242", "authorization": f"Bearer {_KEY}", "x-project-key": _KEY}
    return pipeline.finish(pipeline.answer(Request(endpoint.method, path, "", headers, b"")))


def codes_in(response: Response) -> set[str]:
    """Where the code of an error may be in each envelope."""
    body = json.loads(response.body)
    code = body.get("error", body).get("code", "")
    return {str(code), body.get("type", "").removeprefix("urn:mockserver:")}


@cases("endpoint", *PUBLIC, ids=lambda endpoint: endpoint.operation)
def test_the_rule_of_each_error_causes_it(endpoint: Endpoint) -> None:
    world = World()
    pipeline = assemble(world).pipeline
    project = world.key(_KEY).project
    codes = codes_to_cause(endpoint)
    # Others for each operation, as most have the same ones.
    first = len(endpoint.operation) % len(codes)
    for code in sampled([*codes[first:], *codes[:first]], 4):
        row = errors.find_row(code, endpoint.errors)
        assert row is not None
        scenario = read(error_scenario(endpoint, code), "page", ROUTES)
        loaded = apply(world, project, scenario, pipeline.answer)
        response = send(pipeline, endpoint)
        assert response.status in ((row.status, 200) if endpoint.family.is_rpc else (row.status,))
        # An X in a code stands for what the message says.
        form = sent_code(endpoint, row).replace("_X_", "_\\w+_")
        form = str(rpc_code_of(row)) if endpoint.family.is_rpc else form
        assert any(re.fullmatch(form, found) for found in codes_in(response))
        unload(project, loaded.id)


@cases("endpoint", *PUBLIC, ids=lambda endpoint: endpoint.operation)
def test_the_scenarios_of_a_page_load(endpoint: Endpoint) -> None:
    page = (PAGES / f"{endpoint.operation}.md").read_text(encoding="utf-8")
    texts = _YAML.findall(page)
    assert texts
    for text in texts:
        read(text, endpoint.operation, ROUTES)


def test_every_error_of_the_api_says_what_to_do() -> None:
    rows = {row for row in errors.catalogue() if not row.mock_only} | set(EVERYWHERE)
    assert set(remedies()) == rows
    assert all(text.endswith(".") and len(text) < 130 for text in remedies().values())
