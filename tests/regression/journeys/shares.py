"""Shares of keys: stored for a pregenerated user, and given back."""

from collections.abc import Callable

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


JOURNEYS: tuple[Callable[[Story], None], ...] = (shares,)
