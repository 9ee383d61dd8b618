"""The families of endpoints, as data: how each of them refuses."""

from typing import Literal, NamedTuple

from mockserver import errors
from mockserver.errors import ErrorRow


class Family(NamedTuple):
    """Endpoints that refuse alike."""

    name: str
    envelope: Literal["ApiError", "AuthError", "Problem"]
    """The form of its errors, by the name that OpenAPI documents have for it."""
    invalid_json: ErrorRow
    invalid_parameters: ErrorRow
    unsupported_media_type: ErrorRow | None
    """What a body is refused with that is no JSON by its content type; None calls it an invalid one."""
    public: bool = True
    """Whether it is the API that is imitated; the control API is for tests alone."""
    names_part: bool = False
    """Whether it says of an invalid parameter if it is one of the body or of the query."""
    forgives_tokens: bool = False
    """Whether a token of no session counts as none where a session is not needed."""


API = Family("api", "ApiError", errors.INVALID_JSON, errors.INVALID_PARAMETERS, errors.UNSUPPORTED_MEDIA_TYPE)

IAM = Family(
    "iam",
    "AuthError",
    errors.IAM_INVALID_JSON,
    errors.IAM_VALIDATION,
    None,
    names_part=True,
    forgives_tokens=True,
)

CONTROL = Family(
    "control",
    "Problem",
    errors.INVALID_JSON,
    errors.CONTROL_INVALID,
    errors.UNSUPPORTED_MEDIA_TYPE,
    public=False,
)


def family_of(path: str) -> Family:
    """The family that a path belongs to."""
    if path.startswith("/iam/v2/"):
        return IAM
    return CONTROL if path.startswith("/_mock/") else API
