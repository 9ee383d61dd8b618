"""The families of endpoints, as data: the form of their errors."""

from dataclasses import dataclass, replace
from typing import Literal

from mockserver import errors
from mockserver.errors import ErrorRow


@dataclass(frozen=True, slots=True)
class Family:
    """Endpoints whose errors have the same form."""

    name: str
    envelope: Literal["ApiErrorBody", "AuthError", "Problem", "RpcError"]
    """The form of its errors, by the name that OpenAPI documents have for it."""
    invalid_json: ErrorRow
    invalid_parameters: ErrorRow
    unsupported_media_type: ErrorRow | None
    """The error for a body whose content type is not JSON; None for the error for invalid JSON."""
    public: bool = True
    """Whether it belongs to the imitated API; False for the control API."""
    names_part: bool = False
    """Whether validation errors name the part (`body` or `query`) of a parameter."""
    forgives_tokens: bool = False
    """Whether an invalid session token is ignored where no session is required."""
    is_rpc: bool = False
    """Whether it is JSON-RPC: a method is an operation, which the body names."""
    is_journaled: bool = True
    """Whether its calls are those of a client: in the journal, under the rules of scenarios."""

    @property
    def is_for_pages(self) -> bool:
        """Whether the pages of any site may call it, as they may the real one."""
        return self.is_journaled


API = Family(
    "api", "ApiErrorBody", errors.INVALID_JSON, errors.INVALID_PARAMETERS, errors.UNSUPPORTED_MEDIA_TYPE
)

IAM = Family(
    "iam",
    "AuthError",
    errors.IAM_INVALID_JSON,
    errors.IAM_VALIDATION,
    None,
    names_part=True,
    forgives_tokens=True,
)

LINK_SIWE = replace(IAM, invalid_parameters=errors.IAM_BAD_REQUEST)
"""Linking and unlinking wallets, which the reference lacks: the published document names the codes."""

_LINKING_PATHS = ("/iam/v2/auth/link-siwe/verify", "/iam/v2/auth/link-siwe/unlink")

RPC = Family("rpc", "RpcError", errors.RPC_PARSE, errors.RPC_INVALID_PARAMS, None, is_rpc=True)
"""JSON-RPC of the API: bundlers, paymasters, wallets."""

NODE = replace(RPC, name="node", public=False)
"""JSON-RPC of nodes, which stand beside the control API."""

SHIELD = replace(IAM, name="shield", public=False, names_part=False, forgives_tokens=False)
"""The share service, which stands beside the control API; its client reads the codes of its errors."""

EMBEDDED = replace(API, name="embedded", public=False)
"""The embedded wallet, which stands beside the control API."""

CONTROL = Family(
    "control",
    "Problem",
    errors.INVALID_JSON,
    errors.CONTROL_INVALID,
    errors.UNSUPPORTED_MEDIA_TYPE,
    public=False,
    is_journaled=False,
)


def family_of(path: str) -> Family:
    """The family that a path belongs to."""
    if path.startswith(_LINKING_PATHS):
        return LINK_SIWE
    if path.startswith("/iam/v2/"):
        return IAM
    if path.startswith("/_mock/"):
        if path.endswith("/rpc"):
            return NODE
        if path.startswith("/_mock/embedded/"):
            return EMBEDDED
        return SHIELD if "/shield/" in path else CONTROL
    return RPC if path.startswith("/rpc") else API
