"""Whatever is asked, an operation answers in the right envelope and takes back what it refused."""

from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.server.assembly import ENDPOINTS, assemble
from mockserver.state.world import World
from tests.server.robustness.requests import FAST, requests
from tests.server.robustness.stage import API, Stage, check_envelope, throw
from tests.thoroughness import THOROUGHNESS

CONTROL = [endpoint for endpoint in ENDPOINTS if not endpoint.family.public]


@given(st.data())
@settings(FAST, max_examples=200 * THOROUGHNESS)
def test_no_request_to_an_operation_breaks_it(stage: Stage, data: st.DataObject) -> None:
    throw(stage, data.draw(requests(stage, API)))


@given(st.data())
@settings(FAST)
def test_no_request_to_the_control_api_breaks_it(stage: Stage, data: st.DataObject) -> None:
    request = data.draw(requests(stage, CONTROL, control=True))
    failures: list[str] = []
    world = World()
    world.key("sk_test_tests")
    pipeline = assemble(world).pipeline
    pipeline.server.on_failure = failures.append
    response = pipeline.finish(pipeline.answer(request))
    assert failures == []
    check_envelope(request, response)
