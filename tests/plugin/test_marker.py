"""How a test's project begins, and what is shown when the test fails."""

import pytest

from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]


def test_the_marker_sets_seed_clock_and_settings(run: Run) -> None:
    run(
        """
        import pytest

        pytestmark = pytest.mark.mockserver(settings={"one_time_code": "123456"}, seed="module")
        contract = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}
        ids = []

        @pytest.mark.mockserver(clock="2030-01-01T00:00:00Z")
        def test_one(mock_project, mock_api):
            assert mock_project.clock.now == "2030-01-01T00:00:00.000Z"
            assert mock_project.call("GET", "/settings")["one_time_code"] == "123456"
            ids.append(mock_api.post("/v1/contracts", json=contract).json()["id"])

        @pytest.mark.mockserver(clock="ticking")
        def test_two(mock_project, mock_api):
            assert mock_project.call("GET", "/clock")["mode"] == "ticking"
            ids.append(mock_api.post("/v1/contracts", json=contract).json()["id"])

        @pytest.mark.mockserver(seed="other")
        def test_three(mock_project, mock_api):
            ids.append(mock_api.post("/v1/contracts", json=contract).json()["id"])
            assert ids[0] == ids[1] != ids[2]
        """,
        "--strict-markers",
    ).assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("sed='x'", "*the mockserver marker has no sed (did you mean seed?)*"),
        ("xyz=1", "*the mockserver marker has no xyz; it takes scenario, seed, clock, settings*"),
        ("'x.yaml'", "*the mockserver marker takes keyword arguments only*"),
        ("seed=1", "*seed of the mockserver marker is to be str, not int*"),
        (
            "unused_rules='never'",
            "*unused_rules of the mockserver marker is to be fail or allow, not 'never'*",
        ),
        ("scenario='nowhere.yaml'", "*there is no scenario file nowhere.yaml*"),
        ("settings={'one_time_cod': '1'}", "*did you mean one_time_code?*"),
        ("clock='noon'", "*clock*must be a time such as*"),
    ],
)
def test_a_wrong_marker_is_a_clear_error(run: Run, arguments: str, message: str) -> None:
    result = run(
        f"""
        import pytest

        @pytest.mark.mockserver({arguments})
        def test_it(mock_project):
            pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_failed_test_shows_its_last_exchanges_without_secrets(run: Run) -> None:
    result = run(
        """
        def test_it(mock_project, mock_api):
            for _ in range(30):
                mock_api.get("/v1/contracts")
            body = {"email": "ada@example.com", "password": "hunter2hunter2"}
            mock_api.post("/iam/v2/auth/sign-in/email", json=body)
            assert False, mock_project.id[:4]
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*mockserver journal*", "  12  GET /v1/contracts  200", "  31  POST /iam/v2/*"]
    )
    text = result.stdout.str()
    assert "  11  GET" not in text
    shown = text.partition("mockserver journal")[2]
    assert "hunter2" not in shown
    assert "sk_test" not in shown


def test_a_failed_test_shows_the_hints_of_its_calls(run: Run) -> None:
    result = run(
        """
        def test_it(mock_api):
            rule = {"action": "accept", "operation": "signEvmHash"}
            mock_api.post("/v2/policies", json={"scope": "account", "rules": [rule]})
            assert False
        """
    )
    result.assert_outcomes(failed=1)
    hint = "hint account-policy-without-account: A policy *"
    result.stdout.fnmatch_lines(["*POST /v2/policies  201", f"*{hint}"])


def test_a_failed_test_shows_the_rules_that_did_nothing(run: Run) -> None:
    result = run(
        """
        import pytest

        RULES = '''
        name: outage
        rules:
          - {name: away, when: {call: GetContracts, nth: 2}, then: {answer: 503}}
          - {name: slow, when: GetContracts, then: {delay: 1s}}
        '''

        @pytest.mark.mockserver(scenario=RULES)
        def test_it(mock_api):
            assert mock_api.get("/v1/contracts").status_code == 503
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*mockserver rules*", "away (scenario outage) never fired: 1 call matched it"]
    )
    assert "slow (scenario" not in result.stdout.str()


def test_a_failed_test_shows_the_fates_that_nothing_met(run: Run) -> None:
    result = run(
        """
        def test_it(mock_project):
            mock_project.fate(outcome="reverted", reason="paused", chain_id=80002)
            assert False
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*mockserver fates*", "reverted waits for a transaction: kind transaction, chain_id 80002"]
    )


def test_a_test_may_delete_its_project(run: Run) -> None:
    result = run(
        """
        def test_passes(mock_project):
            mock_project.delete()
            mock_project.delete()

        def test_fails(mock_project):
            mock_project.delete()
            assert mock_project.clock.now
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*ControlApiError: 404: There is no project*"])


def test_a_test_that_passes_shows_nothing(run: Run) -> None:
    result = run("def test_it(mock_api): mock_api.get('/v1/contracts')", "-rA")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*mockserver journal*")
