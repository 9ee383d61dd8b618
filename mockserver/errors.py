"""Every error the API answers with, one row each.

A row has the code that clients switch on, the status, and the message; `{names}` in a message are
filled in by the code that raises it. The order in which a call is checked, and so which error it gets
when several apply, is: a scenario's answer, access, rate limit, shape of the request, existence, state,
policy.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple


class ErrorRow(NamedTuple):
    """One error of the catalogue.

    A code with an `X` is a template: the code that is sent is derived from the message.
    """

    code: str
    status: int
    message: str
    mock_only: bool = False
    """Whether the real service has no such error; it is then answered as problem+json (RFC 9457)."""
    rpc_code: int | None = None
    """Its code in an answer of JSON-RPC; None for one that follows from the status."""

    @property
    def problem(self) -> str:
        """The `type` of the problem, after `urn:mockserver:`."""
        return self.code.replace("_", "-")


def is_error(status: int) -> bool:
    """Whether an answer with this status tells of an error."""
    return status >= 400


class ApiError(Exception):
    """An error of the catalogue, which rejects a call.

    `param` names the offending field by its path, `details` holds a finding for each field,
    `values` fill the names in the row's message, and `note` is a sentence that follows it.
    """

    def __init__(
        self,
        row: ErrorRow,
        *,
        param: str | None = None,
        details: Mapping[str, Mapping[str, object]] | None = None,
        authorization_code: str | None = None,
        headers: Mapping[str, str] | tuple[tuple[str, str], ...] | None = None,
        note: str = "",
        **values: object,
    ) -> None:
        self.row = row
        self.param = param
        self.details = details
        self.authorization_code = authorization_code
        self.headers = headers
        message = row.message.format_map(values) if values else row.message
        self.message = f"{message.rstrip('.')}. {note}" if note else message
        self.code = _code_of(message) if "_X_" in row.code else row.code
        super().__init__(f"{row.status} {row.code}: {self.message}")


class RpcError(ApiError):
    """An error of JSON-RPC, with the `data` of its answer: of a revert what it returned."""

    def __init__(self, row: ErrorRow, data: object = None, **values: Any) -> None:
        super().__init__(row, **values)
        self.data = data


def _code_of(message: str) -> str:
    """Derive the code from a message, by the rule of the reference implementation."""
    return re.sub("[^A-Z0-9_]", "", message.upper().replace(" ", "_"))


def wrong_field(path: str, message: str) -> ApiError:
    """The error 400 for one field, named by its path (`invalid_parameters`)."""
    details = {path: {"message": message}}
    return ApiError(INVALID_PARAMETERS, summary=f"{path}: {message}", param=path, details=details)


_row = ErrorRow
_mock_only = partial(ErrorRow, mock_only=True)


def _rpc(code: str, rpc_code: int, message: str) -> ErrorRow:
    """An error of JSON-RPC, whose status is always 200."""
    return ErrorRow(code, 200, message, rpc_code=rpc_code)


def _untrusted_url(code: str, message: str) -> ErrorRow:
    """The error for a URL to which the project does not redirect."""
    allowed = "a path, or a URL of an origin that the setting trusted_origins allows"
    return _row(code, 403, f"{message}: it has to be {allowed}")


# Reaching an endpoint.
UNKNOWN_PATH = _row("unknown_path", 404, "There is no endpoint {method} {path}.")
METHOD_NOT_ALLOWED = _row("method_not_allowed", 405, "{path} does not take {method}; it takes {allowed}.")
IAM_METHOD_NOT_ALLOWED = METHOD_NOT_ALLOWED._replace(code="METHOD_NOT_ALLOWED", status=404)
"""The reference implementation of sign-in finds no path by another method."""
BODY_TOO_LARGE = _row("body_too_large", 413, "The body is larger than {limit} bytes.")
URL_TOO_LONG = _row("url_too_long", 414, "The path and the query are longer than {limit} bytes.")
HEADERS_TOO_LARGE = _row("headers_too_large", 431, "The headers are larger than {limit} bytes.")
TOO_MANY_HEADERS = _row("headers_too_large", 431, "The request has more than {limit} headers.")
NOT_IN_SPECIFICATION = _mock_only(
    "not_in_specification", 400, "{finding} The setting strict is on: without it the call is accepted."
)
INTERRUPTED = _mock_only(
    "interrupted",
    409,
    "The project was reset, restored or deleted while this call was answered. Send it again.",
)
INTERNAL = _mock_only(
    "internal_error", 500, "The mock server failed while it answered. This is a bug: please report it."
)

# JSON-RPC 2.0, with the codes of EIP-1474 and ERC-7769, and geth's messages.
RPC_PARSE = _rpc("rpc_parse_error", -32700, "parse error: {reason}")
RPC_INVALID_REQUEST = _rpc("rpc_invalid_request", -32600, "invalid request: {reason}")
RPC_METHOD_UNKNOWN = _rpc(
    "rpc_method_not_found", -32601, "the method {method} does not exist/is not available"
)
RPC_INVALID_PARAMS = _rpc("rpc_invalid_params", -32602, "{summary}")
RPC_SERVER_ERROR = _rpc("rpc_server_error", -32000, "{reason}")
RPC_NOT_FOUND = _rpc("rpc_resource_not_found", -32001, "{reason}")
RPC_NOT_SUPPORTED = _rpc("rpc_method_not_supported", -32004, "{reason}")
RPC_TOO_MUCH = _rpc("rpc_limit_exceeded", -32005, "{reason}")
RPC_PREFLIGHT = _rpc("rpc_preflight_failure", -32002, "Transaction simulation failed: {reason}")
RPC_SIGNATURE = _rpc("rpc_signature_failure", -32003, "Transaction signature verification failure")
RPC_NO_SNAPSHOT = _rpc("rpc_no_snapshot", -32008, "No snapshot")
RPC_VERSION = _rpc("rpc_transaction_version", -32015, "Transaction version (0) is not supported {reason}")
RPC_SLOT_TOO_EARLY = _rpc("rpc_minimum_context_slot", -32016, "Minimum context slot has not been reached")
RPC_REFUSED = _rpc("rpc_operation_refused", -32500, "{reason}")
RPC_REFUSED_BY_PAYMASTER = _rpc("rpc_paymaster_refused", -32501, "{reason}")
RPC_EXPIRED = _rpc("rpc_operation_expired", -32503, "{reason}")
RPC_BAD_SIGNATURE = _rpc("rpc_operation_signature", -32507, "{reason}")
RPC_OPERATION_REVERTED = _rpc("rpc_operation_reverted", -32521, "{reason}")
RPC_REVERTED = _rpc("rpc_execution_reverted", 3, "{reason}")
# Those of eth_sendRawTransactionSync have the codes of EIP-7966.
RPC_NOT_MINED = _rpc("rpc_transaction_not_mined", 4, "the transaction is in no block yet")
RPC_NONCE_GAP = _rpc("rpc_nonce_gap", 6, "{reason}")
# Those of eth_simulateV1 have the codes of the execution API.
RPC_NONCE_LOW = _rpc("rpc_nonce_too_low", -38010, "{reason}")
RPC_NONCE_HIGH = _rpc("rpc_nonce_too_high", -38011, "{reason}")
RPC_FEE_LOW = _rpc("rpc_fee_too_low", -38012, "{reason}")
RPC_INTRINSIC_GAS = _rpc("rpc_intrinsic_gas", -38013, "{reason}")
RPC_FUNDS = _rpc("rpc_insufficient_funds", -38014, "{reason}")
RPC_BLOCK_GAS = _rpc("rpc_block_gas_limit", -38015, "block gas limit reached: {used} >= {limit}")
RPC_BLOCK_NUMBER = _rpc("rpc_block_number", -38020, "block numbers must be in order: {number} <= {before}")
RPC_BLOCK_TIME = _rpc("rpc_block_timestamp", -38021, "block timestamps must be in order: {time} <= {before}")
RPC_INIT_CODE = _rpc("rpc_init_code_size", -38025, "{reason}")
RPC_BLOCKS = _rpc("rpc_too_many_blocks", -38026, "too many blocks")
RPC_INTERNAL = _rpc("rpc_internal_error", -32603, "{reason}")

# Access.
KEY_MISSING = _row(
    "api_key_missing",
    401,
    "No API key was sent. Send Authorization: Bearer sk_test_..., or x-project-key: pk_test_... as an app.",
)
KEY_MALFORMED = _row(
    "api_key_malformed",
    401,
    "The API key is not of the form sk_test_..., sk_live_..., pk_test_... or pk_live_...",
)
KEY_UNKNOWN = _row("api_key_unknown", 401, "No project has this API key.")
LIVE_KEY_UNDECLARED = _mock_only(
    "live_key_undeclared",
    401,
    "This live key was not declared to the mock server, which therefore refuses it and has not recorded it. "
    "Never send a production secret to a test double; declare a live key of your own in a scenario.",
)
SCHEME_NOT_ALLOWED = _row(
    "scheme_not_allowed", 401, "{operation} does not accept {scheme}; it accepts {accepted}."
)
SCOPE_MISSING = _row("scope_missing", 403, "The secret key lacks the scope {scope}.")
PLAYER_TOKEN_INVALID = _row("player_token_invalid", 401, "The provider's token is not valid: {reason}")
PROVIDER_UNKNOWN = _row("auth_provider_unknown", 401, "{provider} is not a third-party auth provider.")
PROVIDER_OFF = _row(
    "auth_provider_disabled",
    401,
    "The provider {provider} is off: its configuration is disabled or removed (POST /iam/v1/config turns it "
    "on), or the setting social_providers leaves it out.",
)
SESSION_INVALID = _row("session_invalid", 401, "The session is unknown, has expired or was revoked.")
PROJECT_NOT_AUTHORIZED = _row(
    "project_not_authorized",
    401,
    "The project {project} has not authorized this project to act on its behalf: its setting ecosystems does "
    "not list it.",
)
WALLET_AUTH_MISSING = _row(
    "wallet_auth_missing", 401, "{operation} is signed with the wallet secret: send X-Wallet-Auth."
)
WALLET_AUTH_INVALID = _row(
    "wallet_auth_invalid", 401, "{place} is not valid. {claim}: expected {expected}; got {came}."
)
WALLET_SECRET_MISSING = _row(
    "wallet_secret_not_registered",
    401,
    "This project has no active wallet secret; register one at /v2/accounts/backend/register-secret.",
)
AAL2_REQUIRED = _row(
    "mfa_required",
    403,
    "{operation} needs a session that passed multi-factor authentication (AAL2): its token in "
    "x-player-token, beside the secret key. PUT /_mock/projects/-/sessions/{{session}}/aal2 lets one pass, "
    "the setting aal2 every request.",
)
HTTPS_REQUIRED = _row(
    "https_required", 403, "This project takes requests over HTTPS only: the setting require_https is on."
)
RATE_LIMITED = _row("rate_limited", 429, "Too many requests. Please try again later.")

# Shape of the request.
INVALID_JSON = _row("invalid_json", 400, "The body is not valid JSON: {reason}")
UNSUPPORTED_MEDIA_TYPE = _row(
    "unsupported_media_type",
    415,
    "{content_type} is not a content type this endpoint reads; send application/json.",
)
INVALID_PARAMETERS = _row("invalid_parameters", 400, "{summary}")

# Idempotency.
IDEMPOTENCY_KEY_REUSED = _row(
    "idempotency_key_reused", 409, "This X-Idempotency-Key was used before with another body."
)
IDEMPOTENCY_KEY_IN_USE = _row(
    "idempotency_key_in_use", 409, "A request with this X-Idempotency-Key is still being answered."
)
IDEMPOTENCY_KEY_INVALID = _row(
    "idempotency_key_invalid", 400, "X-Idempotency-Key is 1 to 255 visible characters long."
)

# Existence.
ACCOUNT_NOT_FOUND = _row("account_not_found", 404, "There is no account {id}.")
PLAYER_WITHOUT_ACCOUNT = _row(
    "account_not_found", 404, "The player {player} has no account on chain {chain_id}."
)
USER_NOT_FOUND = _row("user_not_found", 404, "There is no user {id}.")
WALLET_NOT_FOUND = _row("wallet_not_found", 404, "There is no wallet {id}.")
USER_WITHOUT_WALLET = _row(
    "wallet_not_found", 404, "The user {id} has no wallet yet; the first account makes one."
)
AUTH_CONFIG_NOT_FOUND = _row("auth_config_not_found", 404, "The provider {provider} is not configured.")
WALLET_SECRET_NOT_FOUND = _row("wallet_secret_not_found", 404, "There is no wallet secret {id}.")
SIGNER_NOT_FOUND = _row("signer_not_found", 404, "No account with the address {address} has a signer.")
DEVELOPER_ACCOUNT_NOT_FOUND = _row("developer_account_not_found", 404, "There is no developer account {id}.")
CONTRACT_NOT_FOUND = _row("contract_not_found", 404, "There is no contract {id}.")
POLICY_NOT_FOUND = _row("policy_not_found", 404, "There is no policy {id}.")
FEE_SPONSORSHIP_NOT_FOUND = _row("fee_sponsorship_not_found", 404, "There is no fee sponsorship {id}.")
PAYMASTER_NOT_FOUND = _row("paymaster_not_found", 404, "There is no paymaster {id}.")
FORWARDER_CONTRACT_NOT_FOUND = _row(
    "forwarder_contract_not_found", 404, "There is no forwarder contract {id}."
)
SUBSCRIPTION_NOT_FOUND = _row("subscription_not_found", 404, "There is no subscription {id}.")
TRIGGER_NOT_FOUND = _row("trigger_not_found", 404, "There is no trigger {id}.")
FUNDING_SESSION_NOT_FOUND = _row("funding_session_not_found", 404, "There is no funding session {id}.")
SHIELD_SHARE_NOT_FOUND = _row("share_not_found", 404, "The user has no share{which}.")
EVENT_NOT_FOUND = _row("event_not_found", 404, "There is no event {id}.")
GAS_RULE_NOT_FOUND = _row("policy_rule_not_found", 404, "There is no policy rule {id}.")
TRANSACTION_NOT_FOUND = _row("transaction_not_found", 404, "There is no transaction {id}.")
SESSION_KEY_NOT_FOUND = _row("session_key_not_found", 404, "There is no session key {id}.")
SOLANA_TRANSACTION_NOT_FOUND = _row(
    "solana_transaction_not_found", 404, "There is no Solana transaction with the {key} {value}."
)

# State.
CHAIN_UNKNOWN = _row(
    "chain_unknown",
    400,
    "{chain_id} is not a chain this project knows, and its setting unknown_chains is refuse.",
)
CHAIN_OF_OTHER_MODE = _row(
    "chain_of_other_mode", 400, "{name} ({chain_id}) is a {kind}; a {mode} key works with {wanted}s."
)
CONTRACT_EXISTS = _row(
    "contract_already_exists",
    409,
    "The contract {address} on chain {chain_id} is already registered as {id}.",
)
FUNDING_SECRET_WRONG = _row(
    "invalid_client_secret", 401, "This is not the client secret of the funding session."
)
SHIELD_CREDENTIAL_WRONG = _row("unauthorized", 401, "The header {header} {problem}.")
SHIELD_SHARE_EXISTS = _row("share_already_exists", 409, "The user has a share{which} already.")
SHIELD_PART_MISSING = _row(
    "ec_missing",
    400,
    "The share is kept with an encryption part: send x-encryption-part or x-encryption-session.",
)
SHIELD_CODE_MISSING = _row(
    "otp_missing", 428, "The user has a share: send user_id, and the otp_code that POST /project/otp sent."
)
SHIELD_CONTACTS_WRONG = _row(
    "user_contacts_mismatch", 400, "The user has another e-mail address or phone number."
)
SHIELD_PART_WRONG = _row("ec_invalid", 400, "{name} is not that of the {wanted}.")
RECOVERY_PASSWORD_MISSING = _row(
    "missing_user_entropy", 400, "The key is recovered by a password, and none is given."
)
RECOVERY_PASSWORD_WRONG = _row("incorrect_user_entropy", 400, "This is not the password of the key.")
RECOVERY_SESSION_MISSING = _row(
    "missing_project_entropy", 400, "The key is recovered by an encryption session, and none is given."
)
RECOVERY_SESSION_WRONG = _row(
    "incorrect_project_entropy",
    400,
    "The encryption session does not stand for the encryption part of the key.",
)
RECOVERY_PASSKEY_MISSING = _row(
    "missing_passkey", 400, "The key is recovered by a passkey, whose key is not given."
)
RECOVERY_PASSKEY_WRONG = _row("incorrect_passkey", 400, "This is not the passkey of the key.")
FUNDING_SESSION_CLOSED = _row(
    "funding_session_closed", 409, "The funding session {id} is {status}: its payment method stays as it is."
)
ACCOUNT_DISABLED = _row("account_disabled", 409, "The account {id} is disabled: it makes no transactions.")
DEVELOPER_ACCOUNT_EXISTS = _row(
    "developer_account_already_exists", 409, "{address} is registered already as {id}."
)
DEVELOPER_ACCOUNT_NOT_CUSTODIAL = _row(
    "developer_account_not_custodial", 409, "The key of {id} is with its owner, who signs by themselves."
)
REGISTRATION_NOT_SIGNED = _row(
    "invalid_signature", 409, "This is not {address}'s signature of the message to sign: {reason}"
)
OWNERSHIP_NOT_OFFERED = _row(
    "ownership_not_offered", 409, "No transfer of the account {id} to another owner is offered."
)
USER_HAS_PENDING_TRANSACTIONS = _row(
    "user_has_pending_transactions", 409, "The user {id} has transactions that are not settled yet."
)
ADDRESS_TAKEN = _row("address_taken", 409, "The address {address} belongs to the account {id} already.")
COUNTERPART_OF_OTHER_OWNER = _row(
    "counterpart_of_other_owner",
    409,
    "The account {id} changed its owner on its own chain alone; on chain {chain_id} {address} is {owner}'s.",
)
IMPLEMENTATION_UNFIT = _row(
    "implementation_unfit",
    400,
    "{name} serves accounts of the type {serves}; for a {account_type} choose one of {fitting}.",
)
IMPLEMENTATION_ABSENT = _row(
    "implementation_not_available", 400, "{name} is not available in chainId '{chain_id}'."
)
WALLET_SECRET_ACTIVE = _row(
    "wallet_secret_active", 409, "The wallet secret {id} is active; rotate or revoke it first."
)
KEY_MATERIAL_INVALID = _row("invalid_key_material", 400, "This is no key that can be taken: {reason}.")
CHAIN_NOT_SWITCHABLE = _row(
    "chain_not_switchable", 400, "The account {id} is on Solana, which has no chain id."
)
OAUTH_NOT_FINISHED = _row(
    "oauth_not_finished", 404, "The user has not finished to sign in, or the session was given already."
)
OAUTH_CODE_INVALID = _row(
    "invalid_code", 401, "No user has consented with this code and state, or they were used or have expired."
)
SHARE_NOT_FOUND = _row("share_not_found", 404, "The account {id} has no share: its key was not split here.")
EMAIL_TAKEN = _row("email_taken", 409, "Another user has this e-mail address already.")
USER_IDENTIFIER_TAKEN = _row("user_already_exists", 409, "The user {id} has this {identifier} already.")
FUNCTION_NOT_FOUND = _row("function_not_found", 409, "{reason}")
WALLET_SECRET_SAME = _row("wallet_secret_same", 409, "This is the key of the active wallet secret {id}.")
WALLET_SECRET_ENDED = _row(
    "wallet_secret_ended", 409, "This is the key of the wallet secret {id}, which is {state} for good."
)
WALLET_SECRET_ID_TAKEN = _row("wallet_secret_id_taken", 409, "The key id {id} was used before.")
NOT_AWAITING_SIGNATURE = _row(
    "not_awaiting_signature", 409, "{id} is {status} and does not wait for a signature."
)
INVALID_SIGNATURE = _row("invalid_signature", 409, "The signature is not the account owner's: {reason}")
INVALID_AUTHORIZATION = _row(
    "invalid_authorization", 409, "This is not the account's EIP-7702 authorization: {reason}"
)
ACCOUNT_EXISTS = _row(
    "account_already_exists", 409, "The player {player} has the account {id} on chain {chain_id} already."
)
OWNER_OF_OTHER_ACCOUNT = _row(
    "owner_of_other_account",
    409,
    "The account {id} on chain {chain_id} is owned by {owner}, and a player has one account on a chain.",
)
SESSION_KEY_EXISTS = _row(
    "session_key_already_exists",
    409,
    "The account {account} has the session key {address} already: {id}. It is {state}, and has to end first.",
)
SESSION_KEY_INACTIVE = _row("session_key_inactive", 409, "The session key {id} is not active: it is {state}.")
SESSION_KEY_EXPIRED = _row("session_key_expired", 409, "The session key {id} expired at {valid_until}.")
SESSION_KEY_NOT_YET_VALID = _row(
    "session_key_not_yet_valid", 409, "The session key {id} is valid from {valid_after}; it is {now}."
)
SESSION_KEY_LIMIT_REACHED = _row(
    "session_key_limit_reached", 409, "The session key {id} has been used {limit} times, as often as it may."
)
SESSION_KEY_NOT_WHITELISTED = _row(
    "session_key_not_whitelisted", 409, "The session key {id} may not call {to}."
)
FEE_SPONSORSHIP_DISABLED = _row("fee_sponsorship_disabled", 409, "The fee sponsorship {id} is disabled.")
FEE_SPONSORSHIP_OF_OTHER_CHAIN = _row(
    "fee_sponsorship_of_other_chain",
    400,
    "The fee sponsorship {id} is for {chain}; it does not pay on chain {chain_id}.",
)
FEE_SPONSORSHIP_TOKEN_NOT_ACCEPTED = _row(
    "fee_sponsorship_token_not_accepted", 400, "The fee sponsorship {id} does not accept the token {token}."
)

# Policy.
POLICY_REFUSED = _row("policy_refused", 403, "Policies do not let {id} do this ({operation}). {reason}")

# Identity (/iam/v2/auth): codes and messages as the reference implementation spells them.
IAM_VALIDATION = _row("VALIDATION_ERROR", 400, "{summary}")
IAM_BAD_REQUEST = _row("BAD_REQUEST", 400, "{summary}")
IAM_INVALID_JSON = _row("BAD_REQUEST", 400, "Invalid JSON in request body: {reason}")
IAM_UNAUTHORIZED = _row("UNAUTHORIZED", 401, "Unauthorized")
IAM_INVALID_EMAIL = _row("INVALID_EMAIL", 400, "Invalid email")
IAM_PASSWORD_TOO_SHORT = _row(
    "PASSWORD_TOO_SHORT",
    400,
    "Password too short: the setting password_min_length, or the configuration of email, says {limit}",
)
IAM_PASSWORD_TOO_LONG = _row(
    "PASSWORD_TOO_LONG", 400, "Password too long: the setting password_max_length is {limit}"
)
IAM_USER_EXISTS = _row(
    "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL", 422, "User already exists. Use another email."
)
IAM_INVALID_EMAIL_OR_PASSWORD = _row("INVALID_EMAIL_OR_PASSWORD", 401, "Invalid email or password")
IAM_EMAIL_NOT_VERIFIED = _row(
    "EMAIL_NOT_VERIFIED",
    403,
    "Email not verified, and the setting email_verification_required is on, or the configuration of email "
    "forbids allowUnverified",
)
IAM_FAILED_TO_GET_SESSION = _row("FAILED_TO_GET_SESSION", 400, "Failed to get session")
IAM_SESSION_NOT_FOUND = _row("SESSION_NOT_FOUND", 400, "Session not found")
IAM_INVALID_PASSWORD = _row("INVALID_PASSWORD", 400, "Invalid password")
IAM_PASSWORD_LACKS = _row("INVALID_PASSWORD", 400, "Invalid password: it must contain {what}")
IAM_CREDENTIAL_NOT_FOUND = _row("CREDENTIAL_ACCOUNT_NOT_FOUND", 400, "Credential account not found")
IAM_INVALID_TOKEN = _row("INVALID_TOKEN", 400, "Invalid token")
IAM_LINK_INVALID = _row("INVALID_TOKEN", 401, "invalid_token")
IAM_LINK_EXPIRED = _row("TOKEN_EXPIRED", 401, "token_expired")
IAM_LINK_USER_NOT_FOUND = _row("USER_NOT_FOUND", 401, "user_not_found")
IAM_INVALID_CALLBACK_URL = _untrusted_url("INVALID_CALLBACKURL", "Invalid callbackURL")
IAM_INVALID_ERROR_CALLBACK_URL = _untrusted_url("INVALID_ERRORCALLBACKURL", "Invalid errorCallbackURL")
IAM_INVALID_NEW_USER_CALLBACK_URL = _untrusted_url("INVALID_NEWUSERCALLBACKURL", "Invalid newUserCallbackURL")
IAM_INVALID_REDIRECT_URL = _untrusted_url("INVALID_REDIRECTURL", "Invalid redirectURL")
IAM_MISSING_ORIGIN = _row(
    "MISSING_OR_NULL_ORIGIN",
    403,
    "Missing or null Origin. A POST with a cookie is checked against cross-site request forgery (CSRF): send "
    "Origin (or Referer) with the origin of your app, as browsers do; or send no cookie, and the session's "
    "token as Authorization: Bearer <token>.",
)
IAM_INVALID_ORIGIN = _row(
    "INVALID_ORIGIN",
    403,
    "Invalid origin: the project does not trust {origin}. A POST with a cookie is checked against cross-site "
    "request forgery (CSRF): send it from a trusted origin, or add this one to the setting trusted_origins; "
    "or send no cookie, and the session's token as Authorization: Bearer <token>.",
)
IAM_INVALID_OTP = _row("INVALID_OTP", 400, "Invalid OTP")
IAM_OTP_EXPIRED = _row("OTP_EXPIRED", 400, "OTP expired")
IAM_OTP_NOT_FOUND = _row("OTP_NOT_FOUND", 400, "OTP not found")
IAM_TOO_MANY_ATTEMPTS = _row("TOO_MANY_ATTEMPTS", 403, "Too many attempts")
IAM_USER_NOT_FOUND = _row("USER_NOT_FOUND", 400, "User not found")
IAM_SIGNED_IN_USER_NOT_FOUND = _row("USER_NOT_FOUND", 401, "User not found")
IAM_ANONYMOUS_ALREADY = _row(
    "ANONYMOUS_USERS_CANNOT_SIGN_IN_AGAIN_ANONYMOUSLY",
    400,
    "Anonymous users cannot sign in again anonymously",
)
IAM_INVALID_PHONE_NUMBER = _row(
    "INVALID_PHONE_NUMBER",
    400,
    "Invalid phone number: phoneNumber must be in the form of E.164, a plus sign and 2 to 15 digits, such as "
    "+15555550100",
)
IAM_PHONE_NUMBER_EXISTS = _row("PHONE_NUMBER_ALREADY_EXISTS", 400, "Phone number already exists")
IAM_PHONE_NUMBER_UNKNOWN = _row("PHONE_NUMBER_ISNT_REGISTERED", 400, "phone number isn't registered")
IAM_INVALID_PHONE_NUMBER_OR_PASSWORD = _row(
    "INVALID_PHONE_NUMBER_OR_PASSWORD", 400, "Invalid phone number or password"
)
IAM_EMAIL_IS_THE_SAME = _row("EMAIL_IS_THE_SAME", 400, "Email is the same")
IAM_LINK_UNAUTHORIZED = _row("UNAUTHORIZED", 401, "unauthorized")
IAM_LAST_ACCOUNT = _row("FAILED_TO_UNLINK_LAST_ACCOUNT", 400, "You can't unlink your last account")
IAM_ACCOUNT_NOT_FOUND = _row("ACCOUNT_NOT_FOUND", 400, "Account not found")
IAM_PROVIDER_DISABLED = _row(
    "PROVIDER_DISABLED",
    403,
    "Provider {provider} is disabled. POST /iam/v1/config with enabled: true turns it on.",
)
IAM_ANONYMOUS_OFF = _row(
    "ANONYMOUS_SIGN_IN_DISABLED",
    404,
    "There is no anonymous sign-in: the setting anonymous_sign_in is off, or the provider guest is.",
)
IAM_PROVIDER_NOT_FOUND = _row("PROVIDER_NOT_FOUND", 404, "Provider not found")
IAM_ID_TOKEN_NOT_SUPPORTED = _row("ID_TOKEN_NOT_SUPPORTED", 404, "id_token not supported")
IAM_ID_TOKEN_INVALID = _row("INVALID_TOKEN", 401, "Invalid token: {reason}")
IAM_USER_EMAIL_NOT_FOUND = _row("USER_EMAIL_NOT_FOUND", 401, "User email not found")
IAM_SIGN_UP_DISABLED = _row(
    "SIGNUP_DISABLED", 401, "signup disabled: the setting sign_up_on_request asks for requestSignUp"
)
IAM_ACCOUNT_NOT_LINKED = _row("ACCOUNT_NOT_LINKED", 401, "account not linked")
IAM_LINKING_NOT_ALLOWED = _row(
    "ACCOUNT_NOT_LINKED__LINKING_NOT_ALLOWED", 401, "Account not linked - linking not allowed"
)
IAM_DIFFERENT_EMAILS = _row(
    "ACCOUNT_NOT_LINKED__DIFFERENT_EMAILS_NOT_ALLOWED",
    401,
    "Account not linked - different emails not allowed: the setting link_different_emails is off",
)
IAM_IDENTITY_TAKEN = _row(
    "ACCOUNT_NOT_LINKED__ALREADY_LINKED_TO_DIFFERENT_USER",
    401,
    "Account not linked - already linked to different user",
)
IAM_PROVIDER_NOT_SUPPORTED = _row("PROVIDER_X_IS_NOT_SUPPORTED", 400, "Provider {provider} is not supported.")
IAM_PROVIDER_X_NOT_FOUND = _row("PROVIDER_X_NOT_FOUND", 400, "Provider {provider} not found.")
IAM_REFRESH_FAILED = _row("FAILED_TO_REFRESH_ACCESS_TOKEN", 400, "Failed to refresh access token")
IAM_NO_VALID_ACCESS_TOKEN = _row(
    "FAILED_TO_GET_A_VALID_ACCESS_TOKEN", 400, "Failed to get a valid access token"
)
IAM_SIWE_NONCE = _row("UNAUTHORIZED_INVALID_OR_EXPIRED_NONCE", 401, "Unauthorized: Invalid or expired nonce")
IAM_SIWE_SIGNATURE = _row(
    "UNAUTHORIZED_INVALID_SIWE_SIGNATURE", 401, "Unauthorized: Invalid SIWE signature: {reason}"
)
IAM_SIWE_EMAIL_TAKEN = _row(
    "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL", 400, "User already exists. Use another email."
)
IAM_LINK_SIWE_NONCE = _row("INVALID_OR_EXPIRED_NONCE", 401, "Invalid or expired nonce")
IAM_LINK_SIWE_SIGNATURE = _row("INVALID_SIGNATURE", 401, "Invalid SIWE signature: {reason}")
IAM_WALLET_ALREADY_LINKED = _row(
    "WALLET_ALREADY_LINKED", 400, "This wallet is already linked to another user"
)
IAM_WALLET_NOT_FOUND = _row(
    "WALLET_NOT_FOUND", 400, "This wallet is not linked to the user on chain {chain_id}"
)
IAM_LAST_WALLET = _row("CANNOT_UNLINK_LAST_ACCOUNT", 400, "The last authentication method cannot be unlinked")
IAM_NOT_YOUR_EMAIL = _row(
    "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_YOUR_OWN_EMAIL",
    400,
    "You can only send a verification email to your own email",
)
IAM_EMAIL_ALREADY_VERIFIED = _row(
    "YOU_CAN_ONLY_SEND_A_VERIFICATION_EMAIL_TO_AN_UNVERIFIED_EMAIL",
    400,
    "You can only send a verification email to an unverified email",
)

# The control API.
CONTROL_TOKEN_MISSING = _mock_only(
    "control_token_missing",
    401,
    "The control API of this server needs its control token: send X-Mockserver-Token, which clients take "
    "from MOCKSERVER_CONTROL_TOKEN. It was set when the server was started (by that variable or by "
    "--control-token), or else the server printed it then.",
)
CONTROL_TOKEN_INVALID = _mock_only(
    "control_token_invalid", 401, "X-Mockserver-Token is not the control token of this server."
)
CONTROL_TOKEN_UNSET = _mock_only(
    "control_token_not_set",
    403,
    "This request came from beyond loopback, where the control API needs a control token: start the server "
    "with MOCKSERVER_CONTROL_TOKEN, and send the same as X-Mockserver-Token.",
)
CONTROL_HOST_REFUSED = _mock_only(
    "host_refused",
    403,
    "The control API does not answer to the host {host}, because a web page may make any name mean this "
    "machine. Use 127.0.0.1 or localhost, or start the server with --allowed-host {host}.",
)
CONTROL_ORIGIN_REFUSED = _mock_only(
    "origin_refused",
    403,
    "The control API does not answer to web pages of {origin}. If they are yours, start the server with "
    "--allowed-origin {origin}.",
)
CONTROL_SITE_REFUSED = _mock_only(
    "site_refused",
    403,
    "The control API does not answer to web pages of other sites, and Sec-Fetch-Site says that this is one.",
)
CONTROL_CONTENT_TYPE = _mock_only(
    "content_type_refused",
    415,
    "Send Content-Type: {wanted} with a body for the control API, instead of {given}: the content types that "
    "any web page may send are refused.",
)
CONTROL_UNKNOWN_PROJECT = _mock_only("unknown_project", 404, "There is no project {id}.")
CONTROL_KEY_TAKEN = _mock_only("key_taken", 409, "Another project has the key {key}: delete it first.")
CONTROL_INVALID = _mock_only("invalid_request", 400, "{summary}")
CONTROL_TIME_PASSED = _mock_only("time_passed", 409, "Time only goes forward: it is {now} already.")
CONTROL_UNKNOWN_FILE = _mock_only("unknown_file", 404, "The page has no file {name}.")
CONTROL_UNKNOWN_PAGE = _mock_only("unknown_page", 404, "{reason}.")
CONTROL_UNKNOWN_SNAPSHOT = _mock_only("unknown_snapshot", 404, "There is no snapshot {id}.")
CONTROL_UNKNOWN_TABLE = _mock_only("unknown_table", 404, "There is no table {name}{hint}.")
CONTROL_SNAPSHOT_EXISTS = _mock_only("snapshot_exists", 409, "There is a snapshot {id} already.")
CONTROL_NO_RECORDING = _mock_only("no_recording", 404, "There is no recording: start one.")
CONTROL_RECORDING = _mock_only("recording", 409, "A recording is being made already.")
CONTROL_RECORDING_WAITS = _mock_only(
    "recording_waits", 409, "Requests wait for an answer: start the recording when they have it."
)
CONTROL_RECORDING_FAILED = _mock_only("recording_failed", 503, "The recording cannot be made: {reason}.")
CONTROL_BAD_RECORDING = _mock_only("bad_recording", 400, "The recording cannot be loaded: {reason}.")
CONTROL_OTHER_OPTION = _mock_only(
    "other_option",
    409,
    "The recorded server had {name} {recorded}, this one has {current}: start it with {option}.",
)
CONTROL_SERVER_IN_USE = _mock_only(
    "server_in_use", 409, "The server's projects are in use: {projects}. With replace=true they are deleted."
)
CONTROL_REPLAY = _mock_only("replay", 409, "A recording is being replayed: end that first.")
CONTROL_NO_REPLAY = _mock_only("no_replay", 404, "No recording is being replayed: start a replay.")
CONTROL_UNKNOWN_EXCHANGE = _mock_only(
    "unknown_exchange", 404, "The journal holds no exchange number {number}{reason}."
)
CONTROL_UNKNOWN_EVENT = _mock_only(
    "unknown_event", 404, "The history holds no event number {number}{reason}."
)
PLAYBACK_UNKNOWN = _mock_only(
    "not_in_recording",
    404,
    "The recording has no such request. The nearest is that of exchange {number}, which differs in "
    "{differences}.",
)
PLAYBACK_EMPTY = _mock_only("empty_recording", 404, "The recording has no request with an answer.")
PLAYBACK_EXHAUSTED = _mock_only(
    "recording_exhausted",
    409,
    "The recording has no further answer for this request: exchange {number} was the last one.",
)
PLAYBACK_ORDER = _mock_only(
    "out_of_order",
    409,
    "The next request is to be that of exchange {number}, which differs in {differences}.",
)
LIVE_KEY_REFUSED = _mock_only(
    "live_key_refused",
    403,
    "The request has a key of the live mode, and was not passed on: --allow-live lets such requests through.",
)
UPSTREAM_UNREACHABLE = _mock_only("upstream_unreachable", 502, "The upstream did not answer: {reason}.")
CONTROL_UNREACHABLE = _mock_only(
    "unreachable_event", 409, "The state after event {number} cannot be reached: {reason}."
)
CONTROL_UNKNOWN_FATE = _mock_only("unknown_fate", 404, "There is no fate {id}.")
CONTROL_UNKNOWN_SCENARIO = _mock_only("unknown_scenario", 404, "There is no scenario {id}.")
CONTROL_UNKNOWN_CONSENT = _mock_only(
    "unknown_consent",
    404,
    "No consent page of {provider} is open with this state; it may be answered already.",
)
CONTROL_UNKNOWN_ROW = _mock_only("unknown_id", 404, "This project has no {kind} {id}.")
CONTROL_NOT_DUE = _mock_only(
    "not_due", 409, "The delivery {id} is {status}: only one that is due or held has a result."
)
CONTROL_NOT_ENDED = _mock_only("not_ended", 409, "The delivery {id} is {status}: it has not ended yet.")
CONTROL_NOT_PAYABLE = _mock_only(
    "not_payable", 409, "The funding session {id} is {status}: it takes no payment any more."
)
CONTROL_NO_KEY = _mock_only(
    "no_key", 409, "The mock server does not hold the key of {id}; its owner's key is elsewhere."
)
CONTROL_NOTHING_TO_REORGANIZE = _mock_only(
    "nothing_to_reorganize",
    409,
    "No transaction is in the last {depth} blocks, up to {last}, on chain {chain}. {instead}",
)
CONTROL_TOO_MANY_STREAMS = _mock_only(
    "too_many_streams",
    429,
    "There are {most} event streams of this {what} already, and no more at once: end one first.",
)
CONTROL_SETTLED = _mock_only("already_settled", 409, "The transaction {id} is {status} already.")
CONTROL_BAD_SCENARIO = _mock_only("bad_scenario", 400, "{summary}")
CONTROL_VERIFICATION_FAILED = _mock_only("verification_failed", 409, "{summary}")
CONTROL_JOURNAL_INCOMPLETE = _mock_only("journal_incomplete", 409, "{summary}")
CONTROL_EXTRA_MISSING = _mock_only(
    "extra_missing", 501, "The server lacks {package}: pip install 'mockserver[{extra}]'."
)
CONTROL_NO_CONNECTION = _mock_only(
    "no_connection",
    501,
    "This needs a connection to the URL of the server, and not a transport in its process.",
)
CONTROL_NOT_READY = _mock_only("not_ready", 503, "{reason}")


def catalogue() -> Iterator[ErrorRow]:
    """Every row, in the order of this module."""
    return (row for row in globals().values() if isinstance(row, ErrorRow))


def find_row(code: str, own: Iterable[ErrorRow] = ()) -> ErrorRow | None:
    """The row with this code: one of an endpoint's own, or else the first of the catalogue; None without any.

    The reference implementation has several errors of one code, with other statuses and messages.
    """
    return next((row for row in (*own, *catalogue()) if row.code == code), None)
