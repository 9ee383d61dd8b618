"""Projects that several tests share."""

from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]


def test_classes_modules_and_the_session_have_projects(run: Run) -> None:
    run("""
        import pytest

        seen = []

        @pytest.mark.mockserver(settings={"one_time_code": "123456"})
        class TestShop:
            def test_one(self, mock_class_project, mock_module_project, mock_session_project):
                assert mock_class_project.call("GET", "/settings")["one_time_code"] == "123456"
                assert mock_module_project.call("GET", "/settings")["one_time_code"] is None
                seen.append(mock_class_project.id)
                seen.append(mock_module_project.id)
                seen.append(mock_session_project.id)

            def test_two(self, mock_class_project):
                assert mock_class_project.id == seen[0]

        def test_three(mockserver, mock_module_project, mock_session_project):
            assert [mock_module_project.id, mock_session_project.id] == seen[1:]
            assert len({*seen}) == 3
            assert seen[0] not in [project.id for project in mockserver.control.projects()]
        """).assert_outcomes(passed=3)


def test_a_failed_test_shows_what_it_did_in_a_shared_project(run: Run) -> None:
    result = run("""
        def test_earlier(mock_module_project):
            with mock_module_project.connect() as api:
                api.get("/v1/contracts?limit=1")

        def test_fails(mock_module_project):
            with mock_module_project.connect() as api:
                api.get("/v1/contracts?limit=2")
            assert False

        def test_without_calls(mock_module_project):
            assert False

        def test_later_without_the_server():
            assert False
        """)
    result.assert_outcomes(passed=1, failed=3)
    shown = result.stdout.str()
    assert "limit=2" in shown
    assert "limit=1" not in shown
    assert shown.count("mockserver journal of test-a-failed-test-shows") == 1


def test_a_factory_creates_more_projects(run: Run) -> None:
    result = run("""
        RULES = "rules: [{name: away, when: GetContracts, then: {answer: 503}}]"

        def test_two_tenants(mock_project_factory):
            one = mock_project_factory.create("one", settings={"one_time_code": "123456"}, scenario=RULES)
            two = mock_project_factory.create(clock="2030-01-01T00:00:00Z", seed="x", livemode=True)
            two.delete()
            assert one.secret_key == "sk_test_one"
            with one.connect() as api:
                assert api.get("/v1/contracts").status_code == 503
            assert False

        def test_later(mock_project):
            assert False
        """)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*mockserver journal of one*", "*GET /v1/contracts  503  rule away"])
    assert result.stdout.str().count("journal of one") == 1


def test_a_fixture_s_failure_shows_what_it_did(run: Run) -> None:
    result = run("""
        import pytest

        @pytest.fixture
        def shop(mock_project, mock_api):
            mock_api.get("/v1/contracts/con_none").raise_for_status()

        def test_it(shop):
            pass
        """)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*GET /v1/contracts/con_none  404", "*mockserver error answers*"])
