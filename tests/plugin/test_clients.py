"""Clients, rows and an environment for the code under test."""

import pytest

from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]


def test_an_asynchronous_client_calls_the_api(run: Run) -> None:
    run("""
        import asyncio

        def test_async(mock_project, mock_async_api):
            async def ask():
                assert not mock_async_api.is_closed
                return await mock_async_api.get("/v1/contracts")

            assert asyncio.run(ask()).json()["total"] == 0
            assert len(mock_project.journal) == 1
            assert not mock_async_api.cookies
        """).assert_outcomes(passed=1)


def test_the_environment_is_set_for_a_test_only(run: Run) -> None:
    run("""
        import os

        def test_set(mock_env, mock_project):
            assert os.environ["OPENFORT_SECRET_KEY"] == mock_project.secret_key
            assert os.environ["OPENFORT_BASE_URL"] == mock_project.url
            assert {name: os.environ[name] for name in mock_env} == mock_env

        def test_undone():
            assert "OPENFORT_SECRET_KEY" not in os.environ
        """).assert_outcomes(passed=2)


def test_a_proxy_of_the_environment_is_not_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "intra.example")
    run("""
        import os
        import httpx

        def test_set(mock_env):
            assert os.environ["NO_PROXY"].startswith("intra.example,localhost,")
            assert httpx.get(f"{os.environ['OPENFORT_BASE_URL']}/_mock/health").is_success
        """).assert_outcomes(passed=1)


def test_a_clock_may_begin_at_the_real_time(run: Run) -> None:
    run("""
        import time
        import pytest

        @pytest.mark.mockserver(clock="now")
        def test_now(mock_project):
            assert abs(mock_project.clock.now_s - time.time()) < 5
            assert mock_project.call("GET", "/clock")["mode"] == "ticking"
        """).assert_outcomes(passed=1)


def test_a_given_user_is_signed_in(run: Run) -> None:
    run("""
        def test_user(mock_project, mock_api):
            user = mock_project.given.user(name="Grace ${x}", password="${not a reference}")
            me = mock_api.get("/iam/v2/me", headers=user.headers).json()
            assert (me["id"], me["email"], me["name"]) == (user.id, user.email, "Grace ${x}")
            signed_in = {"email": user.email, "password": user.password}
            path = "/iam/v2/auth/sign-in/email"
            assert mock_api.post(path, json=signed_in, headers=mock_project.headers()).is_success
            assert mock_project.given.user().email != user.email
            assert [entry["operation"] for entry in mock_project.journal] == ["meV2", "signInEmail"]
        """).assert_outcomes(passed=1)


def test_a_given_account_has_a_balance(run: Run) -> None:
    run("""
        def test_account(mock_project):
            account = mock_project.given.funded_account(wei=5)
            held = mock_project.holdings(account.chain_id, account.address)
            assert held["balance_wei"] == "5"
            user = mock_project.given.user()
            assert mock_project.given.funded_account(user, chain_id=13337).user_id == user.id
        """).assert_outcomes(passed=1)


def test_gas_of_a_given_wallet_and_for_a_given_contract_is_paid(run: Run) -> None:
    run("""
        def test_sponsored(mock_project, mock_api):
            wallet = mock_project.given.sponsored_wallet()
            contract = mock_project.given.sponsored_contract()
            assert mock_project.given.sponsored_contract().address != contract.address
            asked = {"accountId": wallet.id, "chainId": wallet.chain_id}
            for sponsorship, to, is_paid in (
                (wallet.sponsorship_id, "0x" + "ab" * 20, True),
                (contract.id, contract.address, True),
                (contract.id, "0x" + "ab" * 20, False),
            ):
                calls = {"calls": [{"to": to}], "feeSponsorshipId": sponsorship}
                sent = mock_api.post("/v2/transactions", json=asked | calls).json()
                assert (sent.get("feeSponsorshipId") is not None) is is_paid
        """).assert_outcomes(passed=1)


def test_what_is_given_leaves_rules_and_scenarios_alone(run: Run) -> None:
    run("""
        import pytest

        RULES = "rules: [{name: away, when: signUpEmail, then: {answer: 503}, optional: true}]"

        @pytest.mark.mockserver(scenario=RULES)
        def test_given(mock_project):
            mock_project.given.user()
            assert mock_project.call("GET", "/scenarios")["total"] == 1
        """).assert_outcomes(passed=1)


def test_what_cannot_be_given_says_why_in_short(run: Run) -> None:
    result = run("""
        def test_given(mock_project):
            mock_project.given.user(email="ada@example.com")
            mock_project.given.user(email="ada@example.com")
        """)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*signUpEmail was refused with 4*"])
    assert "mockserver/testing" not in result.stdout.str()
