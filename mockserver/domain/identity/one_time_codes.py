"""One-time codes: digits, valid for a while and three wrong attempts."""

from mockserver import errors
from mockserver.domain.identity.email_rules import code_length, fixed_code
from mockserver.domain.identity.verifications import forget_verifications, issue_verification
from mockserver.errors import ApiError, ErrorRow
from mockserver.state.existence import note_dropped
from mockserver.state.identity import Verification
from mockserver.state.project import Project

MAX_WRONG_TRIES = 3
"""After this many wrong attempts even the right code is rejected."""

CODE_ERRORS = (errors.IAM_INVALID_OTP, errors.IAM_OTP_EXPIRED, errors.IAM_TOO_MANY_ATTEMPTS)
"""The errors of `check_code` and `spend_code`, for the declarations of their endpoints."""


def issue_code(project: Project, purpose: str, to: str) -> str:
    """Issue a code for a purpose, such as `sign-in`; the former code becomes invalid."""
    identifier = _identifier(purpose, to)
    forget_verifications(project, "otp", identifier)
    drawn = project.entropy.text("one_time_code", code_length(project, to), "0123456789")
    code = fixed_code(project, to) or drawn
    lifetime_ms = project.settings.one_time_code_lifetime_ms
    return issue_verification(project, "otp", identifier, code, lifetime_ms).value


def check_code(
    project: Project, purpose: str, to: str, code: str, *, missing: ErrorRow = errors.IAM_INVALID_OTP
) -> Verification:
    """The row of a correct code. ApiError with 400, or with 403 after three wrong attempts.

    A wrong attempt counts, and an expired or exhausted code is deleted, although the call is rejected.
    """
    verifications = project.identity.verifications
    row = verifications.last("identifier", ("otp", _identifier(purpose, to)))
    if row is None:
        raise ApiError(missing, note=note_dropped(verifications))
    if row.expires_ms <= project.clock.now_ms:
        verifications.destroy(row.id)
        raise ApiError(errors.IAM_OTP_EXPIRED)
    if row.attempts >= MAX_WRONG_TRIES:
        verifications.destroy(row.id)
        raise ApiError(errors.IAM_TOO_MANY_ATTEMPTS)
    # `spend` and `destroy` survive the rollback of the rejected call: else attempts would never count.
    if row.value != code:
        verifications.spend(row._replace(attempts=row.attempts + 1))
        raise ApiError(errors.IAM_INVALID_OTP)
    return row


def spend_code(
    project: Project, purpose: str, to: str, code: str, *, missing: ErrorRow = errors.IAM_INVALID_OTP
) -> None:
    """Consume a code: it stays used even if the call is rejected later. Errors as of `check_code`."""
    row = check_code(project, purpose, to, code, missing=missing)
    project.identity.verifications.destroy(row.id)


def _identifier(purpose: str, to: str) -> str:
    return f"{purpose}/{to}"
