"""How a test's project begins, and what is shown when the test fails."""

from tests.plugin.conftest import Run
from tests.tables import cases

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


@cases(
    "arguments, message",
    ("sed='x'", "*the mockserver marker has no sed (did you mean seed?)*"),
    ("xyz=1", "*the mockserver marker has no xyz; it takes scenario, seed, clock, settings*"),
    ("'x.yaml'", "*the mockserver marker takes keyword arguments only*"),
    ("seed=1", "*seed of the mockserver marker is to be str, not int*"),
    ("unused_rules='never'", "*unused_rules of the mockserver marker is to be fail or allow, not 'never'*"),
    ("scenario='nowhere.yaml'", "*there is no scenario file nowhere.yaml*"),
    ("scenario='rulez: []'", "*'rulez' is not part of a scenario*"),
    ("settings={'one_time_cod': '1'}", "*did you mean one_time_code?*"),
    ("clock='noon'", "*clock of the mockserver marker: 'noon' is no clock: frozen, ticking, now, or a time*"),
    ("clock='tiking'", "*'tiking' is no clock (did you mean ticking?)*"),
    ("clock='1900-01-01'", "*'1900-01-01' is before 1970*"),
)
def test_a_wrong_marker_is_an_error_without_frames(run: Run, arguments: str, message: str) -> None:
    result = run(f"""
        import pytest

        @pytest.mark.mockserver({arguments})
        def test_it(mock_project):
            pass
        """)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])
    assert "pytest_plugin" not in result.stdout.str()


def test_a_test_may_delete_its_project(run: Run) -> None:
    result = run("""
        def test_passes(mock_project):
            mock_project.delete()
            mock_project.delete()

        def test_fails(mock_project):
            mock_project.delete()
            assert mock_project.clock.now
        """)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*ControlApiError: 404: There is no project*"])


def test_a_test_that_passes_shows_nothing(run: Run) -> None:
    result = run("def test_it(mock_api): mock_api.get('/v1/contracts')", "-rA")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*mockserver journal*")
