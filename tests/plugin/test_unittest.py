"""Tests of unittest."""

import io
import pickle
import unittest
from typing import ClassVar

import pytest

from mockserver.testing.project import MockProject
from mockserver.testing.reporting import reported
from mockserver.testing.server import LiveServer
from mockserver.testing.unittest_case import MockServerTestCase
from tests.plugin.conftest import Run
from tests.tables import cases

pytest_plugins = ["pytester"]


class _Shop(MockServerTestCase):
    __test__ = False
    settings: ClassVar = {"one_time_code": "123456"}
    clock: ClassVar = "2030-01-01T00:00:00Z"

    def test_passes(self) -> None:
        assert self.mock_project.clock.now == "2030-01-01T00:00:00.000Z"
        assert self.mock_project.change()["one_time_code"] == "123456"
        assert self.mock_api.get("/v1/contracts").is_success

    def test_fails(self) -> None:
        self.mock_api.get("/v1/contracts/con_none")
        self.fail("on purpose")

    def test_is_skipped(self) -> None:
        self.skipTest("for now")

    @unittest.expectedFailure
    def test_is_expected_to_fail(self) -> None:
        self.fail("as expected")


class _Parts(MockServerTestCase):
    __test__ = False

    def test_parts(self) -> None:
        for part in ("one", "two"):
            with self.subTest(part=part):
                self.mock_api.get(f"/v1/contracts/con_{part}")
                self.fail("on purpose")


class _Async(MockServerTestCase, unittest.IsolatedAsyncioTestCase):
    __test__ = False

    async def test_fails(self) -> None:
        async with self.mock_project.connect_async() as api:
            await api.get("/v1/contracts/con_none")
        self.fail("on purpose")


class _Framework(unittest.TestCase):
    """The test case of another framework, which prepares its own."""

    prepared: ClassVar[list[str]] = []

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.prepared = ["class"]

    def setUp(self) -> None:
        super().setUp()
        self.prepared.append("test")


class _Both(MockServerTestCase, _Framework):
    __test__ = False

    def test_is_prepared(self) -> None:
        assert self.prepared == ["class", "test"]
        assert self.mock_api.get("/v1/contracts").is_success


class _Unused(MockServerTestCase):
    __test__ = False
    scenario: ClassVar = "rules: [{name: away, when: GetContracts, then: {answer: 503}}]"

    def test_unused(self) -> None:
        pass


class _AsyncUnused(MockServerTestCase, unittest.IsolatedAsyncioTestCase):
    __test__ = False
    scenario: ClassVar = _Unused.scenario

    async def test_unused(self) -> None:
        pass


class _Allowed(_Unused):
    unused_rules: ClassVar = "allow"


def run_case(case: type[unittest.TestCase]) -> tuple[unittest.TestResult, str]:
    printed = io.StringIO()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(case)
    return unittest.TextTestRunner(printed).run(suite), printed.getvalue()


def test_a_test_case_has_a_project_and_a_failure_has_the_report() -> None:
    result, printed = run_case(_Shop)
    assert result.testsRun == 4
    assert [len(result.failures), len(result.skipped), len(result.expectedFailures)] == [1, 1, 1]
    assert result.errors == []
    assert "GET /v1/contracts/con_none  404" in printed
    assert "mockserver/testing" not in printed


def test_a_test_case_may_be_run_by_another_process() -> None:
    case = pickle.loads(pickle.dumps(_Shop("test_fails")))
    result = unittest.TestResult()
    unittest.TestSuite([case]).run(result)
    ((_, text),) = result.failures
    assert "GET /v1/contracts/con_none  404" in text


def test_each_failed_part_of_a_test_has_its_report() -> None:
    result, _ = run_case(_Parts)
    first, second = (text for _, text in result.failures)
    assert ("con_one" in first, "con_two" in first) == (True, False)
    assert ("con_one" in second, "con_two" in second) == (False, True)


def test_an_asynchronous_case_has_the_report_and_its_frame() -> None:
    result, printed = run_case(_Async)
    assert len(result.failures) == 1
    assert "GET /v1/contracts/con_none  404" in printed
    assert 'self.fail("on purpose")' in printed


def test_nothing_of_a_test_is_left_after_it() -> None:
    seen: list[_Both] = []
    left: list[object] = []

    class Watched(_Both):
        @classmethod
        def tearDownClass(cls) -> None:
            left.extend(cls.mockserver.control.projects())
            super().tearDownClass()

        def tearDown(self) -> None:
            seen.append(self)
            assert not self.mock_api.is_closed
            super().tearDown()

    assert run_case(Watched)[0].wasSuccessful()
    assert left == []
    assert seen[0].mock_api.is_closed
    with pytest.raises(RuntimeError, match="closed"):
        seen[0].mockserver.control.ready()


def test_another_frameworks_case_prepares_its_own_beside() -> None:
    result, printed = run_case(_Both)
    assert (result.testsRun, result.wasSuccessful()) == (1, True), printed


@cases("case", _Unused, _AsyncUnused)
def test_rules_of_a_test_case_have_to_fire(case: type[unittest.TestCase]) -> None:
    result, printed = run_case(case)
    assert len(result.failures) == 1
    assert "away (scenario test_unused inline scenario) never fired" in printed
    assert run_case(_Allowed)[0].wasSuccessful()


def test_pytest_runs_such_a_test_case(run: Run) -> None:
    result = run("""
        from mockserver.testing.unittest_case import MockServerTestCase

        class TestShop(MockServerTestCase):
            def test_fails(self):
                self.mock_api.get("/v1/contracts/con_none")
                assert False
        """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*--- mockserver journal ---", "*GET /v1/contracts/con_none  404"])


def test_a_block_with_a_project_reports_and_deletes_it() -> None:
    def fail(project: MockProject) -> None:
        with reported(project), project.connect() as api:
            api.get("/v1/contracts/con_none")
            raise ZeroDivisionError

    with LiveServer() as server:
        with pytest.raises(ZeroDivisionError) as failed:
            fail(server.control.create_project())
        assert "GET /v1/contracts/con_none  404" in failed.value.__notes__[0]
        assert server.control.projects() == []
