"""What fails a test beside its assertions: rules that never fired, calls to undeclared keys."""

import pytest

from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]

UNUSED = """
import pytest

RULES = '''
name: outage
rules:
  - {name: away, when: {call: GetContracts, query: {limit: 5}}, then: {answer: 503}}
  - {name: maybe, when: GetAccounts, then: {answer: 503}, optional: true}
'''

@pytest.mark.mockserver(scenario=RULES, **OPTIONS)
def test_it(mock_api):
    mock_api.get("/v1/contracts?limit=9")
"""


def unused(options: str) -> str:
    return UNUSED.replace("**OPTIONS", options)


def test_a_rule_never_fired_fails_and_shows_the_closest_call(run: Run) -> None:
    result = run(unused(""))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "rules of the test's scenarios never fired:",
            "away (scenario outage) never fired: 0 calls matched it",
            "  #2 GetContracts: limit in the query is 9; expected 5",
            "A rule that need not fire is `optional: true`; *unused_rules='allow'*",
        ]
    )
    assert "maybe" not in result.stdout.str()


def test_unused_rules_are_allowed_by_marker_and_configuration(run: Run, pytester: pytest.Pytester) -> None:
    run(unused("unused_rules='allow'")).assert_outcomes(passed=1)
    pytester.makeini("[pytest]\nmockserver_unused_rules = allow")
    run(unused("")).assert_outcomes(passed=1)
    run(unused("unused_rules='fail'")).assert_outcomes(failed=1)


def test_another_word_in_the_configuration_is_an_error(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmockserver_unused_rules = never")
    result = run(unused(""))
    result.stdout.fnmatch_lines(["*mockserver_unused_rules is to be fail or allow, not 'never'*"])


def test_only_rules_that_the_test_loads_itself_have_to_fire(run: Run) -> None:
    run("""
        import pytest

        pytestmark = pytest.mark.mockserver(scenario="rules: [{when: GetAccounts, then: {answer: 503}}]")

        def test_shared(mock_module_project):
            assert mock_module_project.call("GET", "/scenarios")["total"] == 1
        """).assert_outcomes(passed=1)


def test_a_failed_or_skipped_test_is_not_failed_for_its_rules(run: Run) -> None:
    result = run("""
        import pytest

        RULES = "rules: [{name: away, when: GetContracts, then: {answer: 503}}]"

        @pytest.mark.mockserver(scenario=RULES)
        def test_fails(mock_project):
            assert 1 == 2

        @pytest.mark.mockserver(scenario=RULES)
        def test_is_skipped(mock_project):
            pytest.skip("for now")

        @pytest.mark.mockserver(scenario=RULES)
        def test_deletes_its_project(mock_project):
            mock_project.delete()
        """)
    result.assert_outcomes(failed=1, skipped=1, passed=1)
    assert "rules of the test's scenarios never fired" not in result.stdout.str()


TYPO = """
import pytest

{marker}
def test_it(mock_project, mock_api):
    typo = mock_project.secret_key[:-1]
    answer = mock_api.get("/v1/contracts", headers={{"authorization": f"Bearer {{typo}}"}})
    assert answer.status_code == {status}

def test_other(mock_api):
    mock_api.get("/v1/contracts")
    assert {status} == 200
"""


def test_a_failed_test_shows_calls_to_undeclared_keys(run: Run) -> None:
    result = run(TYPO.format(marker="", status=503))
    result.assert_outcomes(failed=2)
    line = "1 call went to sk_test_te…, which nothing declares; the test's own only begins alike"
    result.stdout.fnmatch_lines(["*mockserver undeclared keys*", line])
    assert result.stdout.str().count("mockserver undeclared keys") == 1


def test_a_strict_test_fails_for_calls_to_undeclared_keys(run: Run, pytester: pytest.Pytester) -> None:
    result = run(TYPO.format(marker="@pytest.mark.mockserver(strict_keys=True)", status=200))
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["1 call went to sk_test_te…, which nothing declares*"])
    pytester.makeini("[pytest]\nmockserver_strict_keys = true")
    run(TYPO.format(marker="", status=200)).assert_outcomes(failed=1, passed=1)
    run(TYPO.format(marker="@pytest.mark.mockserver(strict_keys=False)", status=200)).assert_outcomes(
        passed=2
    )
