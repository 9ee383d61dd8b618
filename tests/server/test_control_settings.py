"""A project's settings."""

from httpx import Client

from mockserver.state.project import Project
from mockserver.state.settings import Settings
from tests.tables import cases

SETTINGS = "/_mock/projects/-/settings"


def test_every_setting_is_shown_with_its_default(api: Client) -> None:
    shown = api.get(SETTINGS).json()
    assert set(shown) == set(Settings.__dataclass_fields__)
    assert (shown["transaction_confirms_after_ms"], shown["starting_balance_wei"]) == (2_000, 10**18)


def test_settings_that_are_not_named_stay(api: Client, project: Project) -> None:
    api.put(SETTINGS, json={"one_time_code": "424242"})
    changed = api.put(SETTINGS, json={"ecosystems": ["pro_a"], "unknown_chains": "refuse"}).json()
    assert changed["one_time_code"] == "424242"
    assert changed["ecosystems"] == ["pro_a"]
    assert project.settings.ecosystems == ("pro_a",)
    assert api.get(SETTINGS).json() == changed


def test_a_span_of_time_may_be_zero(api: Client) -> None:
    assert api.put(SETTINGS, json={"transaction_confirms_after_ms": 0}).status_code == 200
    assert api.put(SETTINGS, json={"transaction_confirms_after_ms": -1}).status_code == 400


def test_a_setting_is_unset_with_null(api: Client, project: Project) -> None:
    api.put(SETTINGS, json={"one_time_code": "424242"})
    api.put(SETTINGS, json={"one_time_code": None})
    assert project.settings.one_time_code is None


def test_a_change_takes_effect_at_once(api: Client) -> None:
    api.put(SETTINGS, json={"require_https": True})
    assert api.get("/v1/contracts").status_code == 403
    assert api.get("/v1/contracts", headers={"x-forwarded-proto": "https"}).status_code == 200
    asked = {"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []}
    assert "HTTPS" in api.post("/_mock/projects/-/chains/80002/rpc", json=asked).json()["error"]["message"]


@cases("forwarded", "", "ftp", "http, https")
def test_only_a_proxy_that_says_https_makes_a_request_secure(api: Client, forwarded: str) -> None:
    api.put(SETTINGS, json={"require_https": True})
    headers = {"x-forwarded-proto": forwarded}
    refused = api.get("/v1/contracts", headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "https_required")
    secure = api.get("https://mock/v1/contracts", headers=headers)
    assert secure.status_code == (403 if forwarded.startswith("http") else 200)


def test_an_unknown_setting_is_refused_with_the_nearest_name(api: Client) -> None:
    response = api.put(SETTINGS, json={"one_time_kode": "1234"})
    assert response.status_code == 400
    assert response.json()["errors"] == {
        "one_time_kode": {"message": "is not a setting (did you mean one_time_code?)"}
    }


@cases(
    "change, path, message",
    (
        {"chains": {"80002": {"base_fee": 1}}},
        "chains.80002.base_fee",
        "is not a member of chains (did you mean base_fee_wei?)",
    ),
    (
        {"tokens": {"0x" + "ab" * 20: {"xyz": 1}}},
        "tokens.0x" + "ab" * 20 + ".xyz",
        "is not a member of tokens; there are decimals, symbol, price_usd",
    ),
    ({"chains": {"amoy": {}}}, "chains.amoy", "is not a chain id in decimal digits"),
    (
        {"tokens": {"0x" + "AB" * 20: {}}},
        "tokens.0x" + "AB" * 20,
        "is not an address in lower case: 0x and 40 hexadecimal digits",
    ),
)
def test_a_slip_within_a_setting_is_named(
    api: Client, change: dict[str, object], path: str, message: str
) -> None:
    refused = api.put(SETTINGS, json=change)
    assert (refused.status_code, refused.json()["errors"][path]["message"]) == (400, message)


@cases(
    "change",
    {"one_time_code": 123456},
    {"one_time_code": "abc"},
    {"password_min_length": "8"},
    {"require_https": 1},
    {"unknown_chains": "maybe"},
    {"wait_limit_ms": -1},
)
def test_a_wrong_value_changes_nothing(api: Client, project: Project, change: dict[str, object]) -> None:
    before = project.settings
    response = api.put(SETTINGS, json={**change, "idempotency_lifetime_ms": 1})
    assert response.status_code == 400
    assert list(response.json()["errors"]) == list(change)
    assert project.settings == before


def test_an_amount_beyond_64_bits_survives(api: Client) -> None:
    api.put(SETTINGS, json={"starting_balance_wei": 2**200})
    assert api.get(SETTINGS).json()["starting_balance_wei"] == 2**200


@cases(
    "text, status",
    ("5000000000000000001", 200),
    (str(2**256), 400),
    ("9" * 100, 400),
    ("-5", 400),
    ("", 400),
    ("007", 400),
)
def test_an_amount_may_be_a_text_of_digits(text: str, status: int, api: Client) -> None:
    changed = api.put(SETTINGS, json={"starting_balance_wei": text})
    assert changed.status_code == status
    assert api.get(SETTINGS).json()["starting_balance_wei"] == (int(text) if status == 200 else 10**18)


def test_nearest_names_are_for_the_first_unknown_setting(api: Client) -> None:
    asked = {f"one_time_cod{number}": 1 for number in range(100)}
    errors = api.put(SETTINGS, json=asked).json()["errors"]
    assert len(errors) == 100
    assert errors["one_time_cod0"]["message"] == "is not a setting (did you mean one_time_code?)"
    assert errors["one_time_cod99"]["message"] == "is not a setting"
