"""`--mockserver-record`: a file for each test, worker and attempt that is to be kept."""

import json
import re
from pathlib import Path

import pytest

from mockserver import cli
from mockserver.testing.server import LiveServer
from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]

MODULE = """
    import pytest

    SECRET = "correct horse battery"

    @pytest.fixture(scope="module")
    def shop(mockserver):
        project = mockserver.control.create_project(name="shop")
        sign_up(mockserver, project, "ada@example.com")
        yield project
        project.delete()

    def sign_up(server, project, email, path="sign-up"):
        import httpx

        with httpx.Client(transport=server.transport, base_url="http://mock") as client:
            body = {"email": email, "password": SECRET, "name": "Ada"}
            headers = {"x-project-key": project.publishable_key}
            return client.post(f"/iam/v2/auth/{path}/email", json=body, headers=headers).json()

    def test_passes(mock_api):
        mock_api.get("/v1/contracts")

    @pytest.mark.parametrize("name", ["a/../b" * 60])
    def test_fails(mockserver, mock_api, shop, name):
        assert sign_up(mockserver, shop, "ada@example.com", "sign-in")["user"]["name"] == "Ada"
        assert mock_api.get("/v1/contracts").status_code == 999

    def test_uses_no_server():
        assert False
"""


@pytest.fixture
def files(pytester: pytest.Pytester) -> Path:
    """Where the recordings are."""
    return pytester.path / ".mockserver" / "recordings"


def names(files: Path) -> list[str]:
    """The names of the recordings, without their digests."""
    return sorted(re.sub(r"-[0-9a-f]{12}\.", ".", file.name) for file in files.glob("*"))


def test_a_test_that_is_skipped_has_no_file(run: Run, files: Path) -> None:
    module = """
        import pytest

        @pytest.fixture
        def asks(mock_api):
            mock_api.get("/v1/contracts")

        def test_skips(asks):
            pytest.skip("here")

        @pytest.mark.skip
        def test_is_skipped(asks):
            pass

        def test_is_expected(asks):
            pytest.xfail("one day")

        @pytest.fixture
        def fails(asks):
            yield
            assert False

        def test_skips_and_fails(fails):
            pytest.skip("here")
    """
    run(module, "--mockserver-record=all").assert_outcomes(skipped=3, xfailed=1, errors=1)
    assert names(files) == ["test-is-expected.main.1.jsonl", "test-skips-and-fails.main.1.jsonl"]
    (file,) = files.glob("test-skips-and-fails-*")
    file.unlink()
    run(module, "--mockserver-record=failed").assert_outcomes(skipped=3, xfailed=1, errors=1)
    assert file.exists()


def test_without_the_option_nothing_is_written(run: Run, files: Path) -> None:
    run(MODULE).assert_outcomes(passed=1, failed=2)
    assert not files.exists()


def test_a_failed_tests_file_replays(run: Run, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(MODULE, "--mockserver-record=failed")
    (file,) = files.iterdir()
    assert len(file.name) < 120
    assert re.fullmatch(r"[A-Za-z0-9.-]+\.main\.1\.jsonl", file.name)
    assert "correct horse" not in file.read_text()
    result.stdout.fnmatch_lines(
        [
            "*mockserver recording*",
            f"mockserver replay .mockserver/recordings/{file.name}",
            f"mockserver replay .mockserver/recordings/{file.name} --to ?  # serves the state at*",
        ]
    )
    capsys.readouterr()
    assert cli.main(["replay", str(file)]) == 0
    assert "none differ" in capsys.readouterr().out


def test_all_keeps_those_that_passed(run: Run, files: Path) -> None:
    run(MODULE, "--mockserver-record=all", "--mockserver-record-dir=kept")
    assert len(list((files.parents[1] / "kept").iterdir())) == 2
    for file in (files.parents[1] / "kept").iterdir():
        assert json.loads(file.read_text().splitlines()[-1])["end"]


def test_the_ini_file_says_it_too(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmockserver_record = failed\nmockserver_record_dir = out")
    run(MODULE)
    assert len(list((pytester.path / "out").iterdir())) == 1
    pytester.makeini("[pytest]\nmockserver_record = some")
    assert run(MODULE).ret == pytest.ExitCode.USAGE_ERROR


def test_a_set_up_and_a_tear_down_that_failed_are_kept(run: Run, files: Path) -> None:
    run(
        """
        import pytest

        @pytest.fixture
        def broken(mock_api):
            mock_api.get("/v1/contracts")
            raise ValueError

        @pytest.fixture
        def breaking(mock_api):
            yield
            assert mock_api.get("/v1/contracts").status_code == 999

        def test_up(broken): pass

        def test_down(breaking): pass
        """,
        "--mockserver-record=failed",
    ).assert_outcomes(passed=1, errors=2)
    assert names(files) == ["test-down.main.1.jsonl", "test-up.main.1.jsonl"]


def test_a_failed_attempt_is_kept_though_its_retry_passes(run: Run, files: Path) -> None:
    pytest.importorskip("pytest_rerunfailures")
    run(
        """
        attempts = []

        def test_flaky(mock_api):
            attempts.append(mock_api.get("/v1/contracts").status_code)
            assert len(attempts) == 2
        """,
        "--mockserver-record=failed",
        "-ppytest_rerunfailures",
        "--reruns=2",
    ).assert_outcomes(passed=1)
    assert names(files) == ["test-flaky.main.1.jsonl"]


def test_why_there_is_no_recording_is_said(run: Run, files: Path) -> None:
    run(
        """
        def test_first(mockserver): pass

        def test_second(mock_api):
            assert False
        """,
        "--mockserver-record=failed",
        "--mockserver-record-dir=test_why_there_is_no_recording_is_said.py",
    ).stdout.fnmatch_lines(["*mockserver recording*", "none: *"])


SHARED = """
    import pytest

    WALLET = "given: [{call: createBackendWallet, body: {chainType: EVM}, as: wallet}]"

    @pytest.mark.mockserver(scenario=WALLET)
    def test_fails(mock_project, mock_session_project, mock_api):
        with mock_session_project.connect() as shop:
            shop.get("/v1/contracts")
        body = {"email": "ada@example.com", "password": "correct horse", "name": "Ada"}
        mock_api.post("/iam/v2/auth/sign-up/email", json=body, headers=mock_project.headers())
        assert mock_api.get(f"/v2/accounts/{mock_project.captured['wallet']['id']}").status_code == 999

    def test_fails_in_wider(mock_session_project):
        with mock_session_project.connect() as shop:
            assert shop.get("/v1/contracts").status_code == 999

    def test_passes(mock_api):
        mock_api.get("/v1/contracts")
"""


def test_tests_on_another_server_leave_files_of_their_projects(
    run: Run, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with LiveServer() as server:
        other = server.control.create_project(name="other")
        result = run(SHARED, "--mockserver-record=failed", f"--mockserver-url={server.url}")
        result.assert_outcomes(passed=1, failed=2)
        assert [project.name for project in server.control.projects()] == [other.name]
    assert names(files) == ["test-fails-in-wider.main.1.jsonl", "test-fails.main.1.jsonl"]
    result.stdout.fnmatch_lines(["mockserver replay .mockserver/recordings/test-fails-* --to ?  # serves*"])
    capsys.readouterr()
    for file in files.iterdir():
        assert cli.main(["replay", str(file)]) == 0
        assert "none differ" in capsys.readouterr().out
        assert "correct horse" not in file.read_text()
        assert '"other"' not in file.read_text()
    (own,) = files.glob("test-fails-[!i]*")
    for kind in ("pytest", "scenario"):
        assert cli.main(["export", str(own), "--to", kind]) == 0
        assert "createBackendWallet" in capsys.readouterr().out


def test_workers_that_share_a_server_record_at_once(run: Run, files: Path) -> None:
    result = run(SHARED, "--mockserver-record=all", "--mockserver-share", "-n2")
    result.assert_outcomes(passed=1, failed=2)
    assert len(names(files)) == 3


def test_projects_of_a_factory_are_recorded_until_deleted(run: Run, files: Path) -> None:
    module = """
        def test_deletes(mock_project_factory):
            mock_project_factory.create("one").delete()

        def test_fails(mock_project, mock_api):
            mock_api.get("/v1/contracts")
            assert False

        def test_fails_in_another(mock_project_factory):
            with mock_project_factory.create("two").connect() as api:
                api.get("/v1/contracts")
            assert False
    """
    with LiveServer() as server:
        run(module, "--mockserver-record=failed", f"--mockserver-url={server.url}")
    assert len(names(files)) == 2
    for file in files.iterdir():
        assert cli.main(["replay", str(file)]) == 0


def test_a_server_that_is_recorded_says_why_there_is_no_file(run: Run, files: Path) -> None:
    with LiveServer() as server:
        server.control.start_recording()
        result = run(SHARED, "--mockserver-record=failed", f"--mockserver-url={server.url}")
    result.stdout.fnmatch_lines(["*mockserver recording*", "none: 409: A recording is being made already."])
    assert names(files) == []


def test_workers_have_own_files_even_one_that_crashes(run_apart: Run, files: Path) -> None:
    module = """
        import os
        import pytest

        @pytest.mark.parametrize("turn", [1, 2, 3])
        def test_fails(mock_api, turn):
            assert mock_api.get("/v1/contracts").status_code == 999

        class TestCrash:
          @pytest.mark.parametrize("text", ["a::b"])
          def test_crashes(self, mock_api, text):
            mock_api.post("/iam/v2/auth/sign-in/email", json={"email": "a@b.co", "password": "correct horse"})
            os._exit(1)
        """
    result = run_apart(module, "-n2", "--mockserver-record=failed", "--max-worker-restart=2")
    (crashed,) = files.glob("TestCrash*")
    result.stdout.fnmatch_lines(
        ["worker*crashed*", "*mockserver recording*", f"mockserver replay --allow-cut *{crashed.name}"]
    )
    kept = names(files)
    assert len(kept) == 4
    assert all(
        re.fullmatch(r"(test-fails-\d|TestCrash-test-crashes-a-b)\.gw\d\.1\.jsonl", name) for name in kept
    )
    assert "correct horse" not in crashed.read_text()
    assert '"request"' in crashed.read_text()
    assert cli.main(["replay", str(crashed), "--allow-cut"]) == 0
