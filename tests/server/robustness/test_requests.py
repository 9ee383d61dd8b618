"""Whatever is asked of the control API is answered in the right envelope.

What is asked of the API is an attack: `tests/adversary/attacks/refused_calls.py`.
"""

from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.server.assembly import ENDPOINTS, assemble
from mockserver.state.world import World
from tests.server.robustness.requests import FAST, requests
from tests.server.robustness.stage import Stage, check_envelope

CONTROL = [endpoint for endpoint in ENDPOINTS if not endpoint.family.public]


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
