"""Sessions that stand for an encryption part, and the one-time codes that users may need for one."""

from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Call
from mockserver.api.wire import Body, Id, Text
from mockserver.domain.identity.mail import send_mail, send_sms
from mockserver.domain.identity.one_time_codes import CODE_ERRORS, issue_code, spend_code
from mockserver.domain.identity.users import read_address, require_phone_number
from mockserver.errors import ApiError, wrong_field
from mockserver.kernel.secrecy import Secrecy, Secret
from mockserver.server.answering.authenticate import find_named
from mockserver.server.control.groups import ControlGroup
from mockserver.shield.callers import OF_SECRET, require_secret
from mockserver.state.existence import require
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.wallets import EncryptionSession

encryption_sessions = ControlGroup("Encryption sessions", "/_mock/projects/{p}/shield/project")

_operation = partial(encryption_sessions.operation, is_open=True, project_of=find_named)
_RECOVERY = "wallet-recovery"
_CODE = (
    errors.USER_NOT_FOUND,
    errors.INVALID_PARAMETERS,
    errors.IAM_INVALID_EMAIL,
    errors.SHIELD_CONTACTS_WRONG,
)
_SESSION = (errors.USER_NOT_FOUND, errors.SHIELD_CODE_MISSING, *CODE_ERRORS)


class BeginEncryption(Body):
    """The encryption part that the developer has, and the user whom the session is for."""

    encryption_part: Annotated[Text, Field(min_length=1), Secrecy.SECRET]
    user_id: Id | None = None
    otp_code: Annotated[Text, Secrecy.SECRET] | None = None
    """The one-time code that the user was sent."""


class SendRecoveryCode(Body):
    """Whom to send a one-time code. It goes to the user's own address, unless the user has none."""

    user_id: Id
    email: Text | None = None
    phone: Annotated[Text, AfterValidator(require_phone_number)] | None = None
    dangerously_skip_verification: bool = False
    """Accepted, and ignored."""


class EncryptionSessionAnswer(TypedDict):
    """A session that stands for the encryption part."""

    session_id: Secret


@_operation("POST /otp", "SendRecoveryCode", *OF_SECRET, *_CODE)
def send_code(call: Call[SendRecoveryCode]) -> dict[str, Any]:
    """Send a user the one-time code that a session for their share needs, by e-mail or text message."""
    require_secret(call)
    project, body = call.project, call.body
    user = _require_user(project, body.user_id)
    known = [each for each in (user.email, user.phone_number) if each]
    given = [each for each in (body.email and read_address(body.email), body.phone) if each]
    if known and not set(given) <= set(known):
        raise ApiError(errors.SHIELD_CONTACTS_WRONG)
    to = next(iter(given or known), None)
    if to is None:
        raise wrong_field("email", "is needed, or phone: the user has neither")
    code = issue_code(project, _RECOVERY, user.id)
    text = f"Your code to recover your wallet is {code}."
    if "@" in to:
        send_mail(project, to, _RECOVERY, subject="Recover your wallet", text=text, code=code)
    else:
        send_sms(project, to, _RECOVERY, text=text, code=code)
    return {}


def _require_user(project: Project, user_id: str) -> User:
    return require(project.identity.users, user_id, errors.USER_NOT_FOUND, "user_id")


def _check_code(project: Project, body: BeginEncryption) -> None:
    """Consume a user's code, if the project asks for one and the user has a share."""
    if not project.settings.recovery_code_required:
        return
    if body.user_id is None:
        raise ApiError(errors.SHIELD_CODE_MISSING)
    user = _require_user(project, body.user_id)
    if project.wallets.shares.find("owner", user.id):
        if not body.otp_code:
            raise ApiError(errors.SHIELD_CODE_MISSING)
        spend_code(project, _RECOVERY, user.id, body.otp_code)


@_operation("POST /encryption-session", "CreateEncryptionSession", *OF_SECRET, *_SESSION)
def begin_encryption(call: Call[BeginEncryption]) -> EncryptionSessionAnswer:
    """Create a session that users send instead of the encryption part, as often as they like."""
    require_secret(call)
    _check_code(call.project, call.body)
    made = EncryptionSession(call.project.entropy.uuid("encryption_session"), call.body.encryption_part)
    return {"session_id": call.project.wallets.encryption_sessions.insert(made).id}
