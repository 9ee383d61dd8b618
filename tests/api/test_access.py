"""Who may call what, as data: the schemes and scopes that the published document gives each operation."""

from mockserver.api.access import (
    NO_CREDENTIALS,
    PROJECT,
    SESSION,
    USERS,
    Scheme,
    any_scheme,
    secret_key,
    wallet_auth,
)
from mockserver.server.assembly import ENDPOINTS
from tests.tables import cases

U = "pk_access_token pk_third_party auth_token"
PUBLISHED = f"""
GET /v2/users | sk | users:read
GET /v2/users/{{id}} | sk | users:read
DELETE /v2/users/{{id}} | sk | users:delete
GET /v2/users/{{id}}/wallet | sk | users:read
POST /v2/users/pregenerate | sk | users:write
GET /iam/v2/me | pk_third_party auth_token |
GET /v2/accounts | sk {U} | accounts:read
POST /v2/accounts | sk | accounts:write
GET /v2/accounts/signer | sk {U} | accounts:read
GET /v2/accounts/{{id}} | sk {U} | accounts:read
DELETE /v2/accounts/{{id}} | sk | accounts:delete
POST /v2/accounts/switch-chain | sk {U} | accounts:write
POST /v2/accounts/{{accountUuid}}/export-share | sk | share:export
POST /v2/accounts/backend | sk+wallet | accounts:write
DELETE /v2/accounts/backend/{{id}} | sk+wallet | accounts:delete
POST /v2/accounts/backend/{{id}}/sign | sk+wallet | accounts:sign
POST /v2/accounts/backend/{{id}}/export | sk+wallet | accounts:export
POST /v2/accounts/backend/import | sk+wallet | accounts:import
POST /v2/accounts/backend/register-secret | sk | api_key:write
POST /v2/accounts/backend/revoke-secret | sk+wallet | api_key:delete
POST /v2/accounts/backend/rotate-secrets | sk | api_key:rotate
GET /v1/sessions | sk | sessions:read
POST /v1/sessions | sk {U} | sessions:write
POST /v1/sessions/revoke | sk {U} | sessions:write
POST /v1/sessions/{{id}}/signature | pk sk auth_token | sessions:write
GET /v1/sessions/{{id}} | sk | sessions:read
GET /v1/contracts | sk | contracts:read
POST /v1/contracts | sk | contracts:write
GET /v1/contracts/{{id}} | sk | contracts:read
POST /v1/contracts/{{id}} | sk | contracts:write
DELETE /v1/contracts/{{id}} | sk | contracts:delete
GET /v1/contracts/{{id}}/read | sk | contracts:read
GET /v2/policies | sk | policies:read
POST /v2/policies | sk | policies:write
GET /v2/policies/{{policyId}} | sk | policies:read
POST /v2/policies/{{policyId}} | sk | policies:write
DELETE /v2/policies/{{policyId}} | sk | policies:delete
POST /v2/policies/evaluate | sk pk | policies:write
GET /v2/fee-sponsorship | sk | fee_sponsorship:read
POST /v2/fee-sponsorship | sk | fee_sponsorship:write
GET /v2/fee-sponsorship/{{feeSponsorshipId}} | sk | fee_sponsorship:read
PUT /v2/fee-sponsorship/{{feeSponsorshipId}} | sk | fee_sponsorship:write
DELETE /v2/fee-sponsorship/{{feeSponsorshipId}} | sk | fee_sponsorship:delete
PUT /v2/fee-sponsorship/{{feeSponsorshipId}}/enable | sk | fee_sponsorship:write
PUT /v2/fee-sponsorship/{{feeSponsorshipId}}/disable | sk | fee_sponsorship:write
GET /v2/transactions | sk {U} | transactions:read
POST /v2/transactions | sk {U} | transactions:write
GET /v1/transaction_intents | sk | transactions:read
POST /v1/transaction_intents | sk {U} | transactions:write
GET /v1/transaction_intents/{{id}} | sk {U} | transactions:read
POST /v1/transaction_intents/estimate_gas_cost | sk {U} | transactions:write
POST /v1/transaction_intents/{{id}}/signature | sk pk pk_access_token pk_third_party | transactions:write
GET /v1/solana/transactions | pk |
GET /iam/v1/verify | sk | auth_config:read
POST /iam/v1/players | sk | wallets:write
GET /iam/v1/players | sk | wallets:read
DELETE /iam/v1/players/{{id}} | sk | wallets:delete
GET /iam/v1/config | pk |
GET /iam/v1/oauth | sk | auth_config:read
GET /iam/v1/oauth/{{provider}} | sk | auth_config:read
DELETE /iam/v1/oauth/{{provider}} | sk | auth_config:delete
POST /iam/v1/oauth/verify | sk | auth_config:write
GET /v1/accounts | sk {U} | accounts:read
POST /v1/accounts | sk {U} | accounts:write
GET /v1/accounts/{{id}} | sk | accounts:read
POST /v1/accounts/{{id}}/request_transfer_ownership | sk | wallets:write
GET /v1/policies | sk | fee_sponsorship:read
POST /v1/policies | sk | fee_sponsorship:write
GET /v1/policies/{{id}} | sk | fee_sponsorship:read
POST /v1/policies/{{id}} | sk | fee_sponsorship:write
DELETE /v1/policies/{{id}} | sk | fee_sponsorship:delete
PUT /v1/policies/{{id}}/disable | sk | fee_sponsorship:write
PUT /v1/policies/{{id}}/enable | sk | fee_sponsorship:write
GET /v1/policies/{{id}}/reports | sk | fee_sponsorship:read
GET /v1/policies/{{id}}/reports/transaction_intents | sk | fee_sponsorship:read
GET /v1/policies/{{id}}/withdraw | sk | fee_sponsorship:read
POST /v1/policies/{{id}}/withdraw | sk | fee_sponsorship:write
GET /v1/policy_rules | sk | policies:read
POST /v1/policy_rules | sk | policies:write
POST /v1/policy_rules/{{id}} | sk | policies:write
DELETE /v1/policy_rules/{{id}} | sk | policies:delete
""".strip().splitlines()
BY_LINE = {f"{endpoint.method} {endpoint.path}": endpoint for endpoint in ENDPOINTS}


@cases("row", *PUBLISHED)
def test_an_operation_takes_the_published_schemes_and_scope(row: str) -> None:
    line, schemes, scope = (part.strip() for part in row.split("|"))
    access = BY_LINE[line].access
    assert access.schemes == {Scheme(name.removesuffix("+wallet")) for name in schemes.split()}
    assert access.scope == (scope or None)
    assert access.wallet_auth is ("+wallet" in schemes)
    assert not access.session_required or access.schemes <= USERS


def test_only_links_and_key_sets_need_no_credentials() -> None:
    open_lines = {line for line, endpoint in BY_LINE.items() if endpoint.access.open}
    assert {line for line in open_lines if "/_mock/" not in line} == {
        "GET /iam/v2/auth/error",
        "GET /iam/v2/auth/verify-email",
        "GET /iam/v2/auth/callback/{provider}",
        "GET /iam/v2/auth/reset-password/{token}",
        "GET /iam/v1/oauth/callback/{provider}",
        "GET /iam/v1/oauth/callback",
        "GET /iam/v1/{publishable_key}/jwks.json",
        "GET /v2/funding/chains",
    }


@cases(
    "name, required",
    ("POST /sign-up/email", False),
    ("POST /sign-in/email", False),
    ("POST /sign-in/anonymous", False),
    ("POST /siwe/nonce", False),
    ("POST /email-otp/send-verification-otp", False),
    ("POST /phone-number/verify", False),
    ("POST /request-password-reset", False),
    ("GET /list-sessions", True),
    ("POST /revoke-session", True),
    ("POST /link-siwe/nonce", True),
    ("POST /link-social", True),
    ("GET /list-accounts", True),
    ("POST /unlink-account", True),
    ("POST /change-email", True),
    ("POST /change-password", True),
)
def test_identity_takes_the_project_key_and_maybe_a_session(name: str, required: bool) -> None:
    method, path = name.split()
    access = BY_LINE[f"{method} /iam/v2/auth{path}"].access
    assert access.schemes == {*Scheme} - {Scheme.CONTROL_TOKEN}
    assert access.session_required is required


def test_the_words_of_a_declaration() -> None:
    assert NO_CREDENTIALS.open
    assert not PROJECT.open
    assert (PROJECT.session_required, SESSION.session_required) == (False, True)
    assert secret_key("a:read", *USERS).schemes == {Scheme.SECRET_KEY, *USERS}
    assert any_scheme(Scheme.PUBLISHABLE_KEY).scope is None
    assert wallet_auth("a:write").wallet_auth
