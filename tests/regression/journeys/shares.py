"""Shares of keys: stored for a pregenerated user, and given back; embedded wallets, which they recover."""

from collections.abc import Callable
from typing import Any

from tests.regression.story import Story

EMAIL = "grace@example.com"
AUTH = "/iam/v2/auth"


def shares(story: Story) -> None:
    """What the developer's backend stores, and the user reads."""
    project = story.project("shares", settings={"one_time_code": "123456"})
    made = project.call("POST", "/v2/users/pregenerate", {"email": EMAIL, "accounts": [{}]})
    base, account = f"/_mock/projects/{project.id}/shield", made["accounts"][0]
    share = {"secret": account["recoveryShare"], "entropy": "project", "reference": account["signer"]}
    share["encryption_part"] = "part"
    developer = {"x-api-key": "pk", "x-api-secret": "sk", "x-auth-provider": "openfort"}
    for headers in ({}, {**developer, "x-user-id": "usr_unknown"}, {**developer, "x-user-id": made["user"]}):
        for body in ({"secret": "", "entropy": "project"}, {**share, "encryption_part": ""}, share, share):
            project.call("POST", f"{base}/admin/preregister", body, headers)
    part = {"encryption_part": "part"}
    session = project.call("POST", f"{base}/project/encryption-session", part, developer)["session_id"]
    project.call(
        "POST",
        f"{AUTH}/email-otp/send-verification-otp",
        {"email": EMAIL, "type": "sign-in"},
        project.visitor,
    )
    entered = project.call(
        "POST", f"{AUTH}/sign-in/email-otp", {"email": EMAIL, "otp": "123456"}, project.visitor
    )
    user = {**developer, "authorization": f"Bearer {entered['token']}"}
    for more in ({}, {"x-encryption-part": "another"}, {"x-encryption-session": session}):
        for path in ("/shares", f"/shares/{account['signer']}", "/shares/unknown"):
            project.call("GET", f"{base}{path}", None, {**user, **more})


def recovery_codes(story: Story) -> None:
    """What the developer's backend asks before a user's share is given back."""
    settings = {"one_time_code": "123456", "recovery_code_required": True}
    project = story.project("recovery_codes", settings=settings)
    made = project.call("POST", "/v2/users/pregenerate", {"email": EMAIL, "accounts": [{}]})
    base, account = f"/_mock/projects/{project.id}/shield", made["accounts"][0]
    developer = {"x-api-key": "pk", "x-api-secret": "sk", "x-auth-provider": "openfort"}
    share = {"secret": account["recoveryShare"], "entropy": "project", "encryption_part": "part"}
    headers = {**developer, "x-user-id": made["user"]}
    project.call("POST", f"{base}/admin/preregister", share, headers)
    part, user = {"encryption_part": "part"}, {"user_id": made["user"]}
    for body in (part, {**part, **user}, {**part, "user_id": "usr_unknown"}):
        project.call("POST", f"{base}/project/encryption-session", body, developer)
    for contact in ({"email": "ada@example.com"}, {"email": "ada"}, {"email": EMAIL}):
        project.call("POST", f"{base}/project/otp", {**user, **contact}, developer)
    for code in ("000000", "123456"):
        body = {**part, **user, "otp_code": code}
        project.call("POST", f"{base}/project/encryption-session", body, developer)


def embedded(story: Story) -> None:
    """What the frame of an embedded wallet asks for its user."""
    project = story.project("embedded")
    person = {"email": EMAIL, "password": "correct horse", "name": "Grace"}
    entered = project.call("POST", f"{AUTH}/sign-up/email", person, project.visitor)
    base = f"/_mock/embedded/iframe/{project.publishable_key}"
    user = {"x-api-key": "pk", "x-auth-provider": "openfort", "authorization": f"Bearer {entered['token']}"}
    password, passkey = {"password": "battery"}, {"passkeyKey": "c3RhcGxl", "passkeyId": "passkey-1"}
    wanted = {"accountType": "Externally Owned Account", "chainType": "EVM"}

    def ask(path: str, **body: object) -> Any:
        return project.call("POST", f"{base}/{path}", body, user)

    project.call("GET", base, None, {})
    project.call("POST", f"{base}/create", {**wanted, **password}, {})
    for given in ({}, {"encryptionSession": "unknown"}, password):
        made = ask("create", **wanted, **given)
    account = made["account"]
    smart = ask("create", accountType="Smart Account", chainType="EVM", **passkey)
    ask("import", **wanted, privateKey="0x" + "11" * 32, **password)
    ask("import", **wanted, privateKey="0x11", **password)
    for given in ({}, {"password": "staple"}, password):
        ask("recover", account=account, **given)
    for given in ({}, {"passkeyKey": "YmF0dGVyeQ"}, passkey):
        ask("recover", account=smart["account"], **given)
    ask("recovery-method", account=account, recoveryMethod="automatic", **password)
    developer, part = {"x-api-key": "pk", "x-api-secret": "sk"}, "/project/encryption-session"
    for secret in ("part", "another"):
        session = project.call(
            "POST",
            f"/_mock/projects/{project.id}/shield{part}",
            {"encryption_part": secret},
            developer,
        )["session_id"]
        ask(
            "recovery-method",
            account=account,
            recoveryMethod="automatic",
            encryptionSession=session,
            **password,
        )
    ask("recover", account=account)
    ask("sign", account=account, message="hello", isPersonalMessage=True)
    ask("sign", account=account, message="hello")
    ask("switch-chain", account=smart["account"], chainId=80002)
    ask("export", account=account)
    ask("export", account="acc_unknown")


JOURNEYS: tuple[Callable[[Story], None], ...] = (shares, recovery_codes, embedded)
