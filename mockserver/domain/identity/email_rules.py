"""Rules for e-mail addresses, passwords and one-time codes, where the developer has configured them."""

from collections.abc import Callable, Mapping
from typing import Any

from mockserver import errors
from mockserver.domain.identity.social.provider_configs import find_config
from mockserver.errors import ApiError
from mockserver.state.identity import User
from mockserver.state.project import Project

CODE_LENGTH = 6
"""The digits of a one-time code, unless the configuration of `email` says otherwise."""

TEST_ACCOUNT = "test_account"
"""The provider of an address and a number whose one-time codes are always the same."""

PASSWORD_ERRORS = (errors.IAM_PASSWORD_TOO_SHORT, errors.IAM_PASSWORD_TOO_LONG, errors.IAM_PASSWORD_LACKS)
"""The errors of `check_password`, for the declarations of its endpoints."""

_CLASSES: Mapping[str, tuple[str, str, Callable[[str], bool]]] = {
    "requireNumber": ("a number", "1", str.isdigit),
    "requireLowercase": ("a lower case letter", "x", str.islower),
    "requireUppercase": ("an upper case letter", "X", str.isupper),
    "requireSpecialChar": ("a special character", "-", lambda character: not character.isalnum()),
}
"""By the member of the requirements: what is required, one that will do, and the test."""


def requires_verification(project: Project) -> bool:
    """Whether an e-mail address has to be verified before its user signs in."""
    return project.settings.email_verification_required or _options(project).get("allowUnverified") is False


def has_to_verify(project: Project, user: User) -> bool:
    """Whether a user has to verify the e-mail address before signing in."""
    return requires_verification(project) and not user.email_verified


def check_password(project: Project, password: str) -> None:
    """ApiError with 400 for a new password that the project does not allow."""
    settings, (shortest, required) = project.settings, _requirements(project)
    if len(password) < shortest:
        raise ApiError(errors.IAM_PASSWORD_TOO_SHORT, limit=shortest)
    if len(password) > settings.password_max_length:
        raise ApiError(errors.IAM_PASSWORD_TOO_LONG, limit=settings.password_max_length)
    for member, (what, _, is_one) in _CLASSES.items():
        if required.get(member) and not any(map(is_one, password)):
            raise ApiError(errors.IAM_PASSWORD_LACKS, what=what)


def extend_stand_in(project: Project, stand_in: str, password: str) -> str:
    """What stands for a password, with all that a new password has to have and this one has."""
    shortest, required = _requirements(project)
    for member, (_, one, is_one) in _CLASSES.items():
        if required.get(member) and any(map(is_one, password)) and not any(map(is_one, stand_in)):
            stand_in += one
    return stand_in.ljust(shortest, "x") if len(password) >= shortest else stand_in


def _requirements(project: Project) -> tuple[int, Mapping[str, Any]]:
    """The length that a new password has at least, and what it has to have."""
    required = _options(project).get("passwordRequirements", {})
    return required.get("minLength", project.settings.password_min_length), required


def code_length(project: Project, to: str) -> int:
    """How many digits a one-time code has that is sent to an address or a phone number."""
    length: int = _options(project).get("otpLength", CODE_LENGTH) if "@" in to else CODE_LENGTH
    return length


def fixed_code(project: Project, to: str) -> str | None:
    """The code that an address or a phone number always gets, or None."""
    found = find_config(project, TEST_ACCOUNT)
    if found is not None and found.enabled:
        options = found.options
        if to in (f"test-{options['emailSuffix']}@openfort.xyz", f"+1555555{options['phoneSuffix']}"):
            return str(options["otpCode"])
    return project.settings.one_time_code


def new_test_account(project: Project) -> dict[str, str]:
    """The options of a test account: its address, its phone number, and their code."""
    draw = project.entropy.text
    return {
        "emailSuffix": draw("test_account", 4, "0123456789abcdef"),
        "phoneSuffix": draw("test_account", 4, "0123456789"),
        "otpCode": draw("test_account", CODE_LENGTH, "0123456789"),
    }


def defaults(project: Project) -> dict[str, Any]:
    """What the configuration of `email` says where it leaves something out."""
    settings = project.settings
    return {
        "allowUnverified": not settings.email_verification_required,
        "otpLength": CODE_LENGTH,
        "passwordRequirements": {"minLength": settings.password_min_length},
    }


def _options(project: Project) -> Mapping[str, Any]:
    found = find_config(project, "email")
    return {} if found is None else found.options
