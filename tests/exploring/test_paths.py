"""The unhappy paths of operations: each is a scenario that loads, and each is seen when it was met."""

from contextlib import suppress

from httpx import Client, HTTPError

from mockserver.exploring.plan import OF_WEBHOOKS, Trial, paths_of, plan_webhooks
from mockserver.exploring.world import deliveries_of, has_happened
from mockserver.scenario.checking.load import read
from mockserver.server.assembly import ENDPOINTS, ROUTES
from mockserver.server.control.history.unhappy_paths import UnhappyPath, unhappy_paths
from mockserver.testing.project import MockProject
from tests.tables import cases

PUBLIC = [each for each in ENDPOINTS if each.family.public and each.method != "RPC"]
CONTRACT = {"name": "Token", "chainId": 84532, "address": "0x" + "cd" * 20}


def test_every_path_of_every_operation_is_a_scenario() -> None:
    for endpoint in PUBLIC:
        for path in paths_of(endpoint.operation):
            scenario = Trial("test", endpoint.operation, 2, path, 0).scenario
            (rule,) = read(scenario, "scenario", ROUTES).rules
            assert rule.optional


def test_the_paths_of_an_operation_have_different_names() -> None:
    for endpoint in PUBLIC:
        names = [path.id for path in paths_of(endpoint.operation)]
        assert len(names) == len({*names}) > 0


def test_the_control_api_and_unknown_operations_have_none() -> None:
    assert paths_of("ListJournal") == paths_of("eth_call") == paths_of("Nothing") == ()


@cases("path", *unhappy_paths(ROUTES.by_operation["CreateContract"]), ids=lambda path: path.id)
def test_a_path_that_happens_is_met(mock: MockProject, path: UnhappyPath) -> None:
    mock.load(Trial("test", "CreateContract", 1, path, 0).scenario)
    with mock.connect() as api:
        _post(api)
    met = mock.call("GET", "/error-coverage")["met"]["CreateContract"]
    # Those that look the same to the client are met together.
    assert path.id in met


def test_a_success_meets_nothing(mock: MockProject) -> None:
    with mock.connect() as api:
        _post(api)
    assert mock.call("GET", "/error-coverage")["met"] == {"CreateContract": []}


def test_each_webhook_is_tried_by_itself(mock: MockProject) -> None:
    _announce(mock, times=2)
    tried = [(each.operation, each.place, each.path.id) for each in plan_webhooks("t", deliveries_of(mock))]
    outcomes = [path.id for path in OF_WEBHOOKS]
    # None follows the second one.
    rest = [outcome for outcome in outcomes if outcome != "reordered"]
    assert tried == [
        *(("webhook test", 1, outcome) for outcome in outcomes),
        *(("webhook test", 2, outcome) for outcome in rest),
    ]
    assert [*plan_webhooks("t", deliveries_of(mock), since=2)] == []


@cases("path", *OF_WEBHOOKS, ids=lambda path: path.id)
def test_what_is_tried_with_a_webhook_is_of_that_one(mock: MockProject, path: UnhappyPath) -> None:
    trial = Trial("t", "webhook test", 2, path, 0)
    mock.load(trial.scenario)
    assert not has_happened(mock, trial)
    _announce(mock, times=3)
    fates = [row["fate"] for row in deliveries_of(mock)]
    assert fates == [None, *[path.id] * (1 + (path.id == "twice")), None]
    assert has_happened(mock, trial)


def _announce(mock: MockProject, times: int) -> None:
    mock.webhooks.subscribe("https://shop.example/hooks", "test")
    with mock.connect() as api:
        for _ in range(times):
            assert api.post("/v1/subscriptions/test").status_code == 200


def _post(api: Client) -> None:
    with suppress(HTTPError):
        api.post("/v1/contracts", json=CONTRACT)
