"""Users of other identity providers."""

import json

import jwt
import pytest
from jwt.algorithms import HMACAlgorithm

from mockserver.crypto import base64url
from mockserver.domain.identity.social.third_party import THIRD_PARTIES, user_of_token
from mockserver.domain.identity.users import create_user, verify_email
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from tests.tables import cases

SECRET = "x" * 32
JOAN = {"sub": "7", "email": "Joan@example.com", "email_verified": True}


def token(secret: str = SECRET, **claims: object) -> str:
    return jwt.encode(JOAN | claims, secret)


def test_every_provider_of_the_specification_is_known() -> None:
    assert {"accelbyte", "firebase", "lootlocker", "playfab", "supabase", "custom", "oidc"} <= {
        *THIRD_PARTIES
    }
    assert "telegramMiniApp" in THIRD_PARTIES


def test_an_address_that_both_have_verified_leads_to_its_user(project: Project) -> None:
    joan = verify_email(project, create_user(project, name="Joan", email="joan@example.com"))
    assert user_of_token(project, "firebase", token()).id == joan.id
    assert user_of_token(project, "firebase", token(email="other@example.com")).id == joan.id
    assert len(project.identity.users) == 1


@cases("here, there", (True, False), (False, True), (False, False))
def test_an_unverified_address_is_left_out_of_the_new_user(project: Project, here: bool, there: bool) -> None:
    joan = create_user(project, name="Joan", email="joan@example.com", email_verified=here)
    user = user_of_token(project, "firebase", token(email_verified=there))
    assert (user.id == joan.id, user.email, user.email_verified) == (False, None, False)


def test_an_unknown_address_becomes_the_new_user_s(project: Project) -> None:
    user = user_of_token(project, "firebase", token())
    assert (user.email, user.email_verified) == ("joan@example.com", True)


def test_pinned_keys_refuse_what_they_did_not_sign(project: Project) -> None:
    key = HMACAlgorithm.to_jwk(SECRET, as_dict=True)
    project.settings = Settings(provider_keys={"supabase": [key]})
    assert user_of_token(project, "supabase", token()).email == "joan@example.com"
    for bad in (token("y" * 32), "opaque", "a.b.c", ""):
        with pytest.raises(ApiError) as refusal:
            user_of_token(project, "supabase", bad)
        assert (refusal.value.row.code, refusal.value.row.status) == ("player_token_invalid", 401)
    assert user_of_token(project, "firebase", token("y" * 32)) is not None


@cases(
    "claims, reason",
    ({"exp": 1_767_225_600}, "it has expired on this project's clock."),
    ({"exp": "4000000000"}, "its expiry (exp) is no number."),
    ({"exp": True}, "its expiry (exp) is no number."),
    ({"sub": None}, "it names no user (sub)."),
    ({"sub": ""}, "it names no user (sub)."),
    ({"sub": ["7"]}, "it names no user (sub)."),
    ({"sub": {"id": "7"}}, "it names no user (sub)."),
    ({"sub": True}, "it names no user (sub)."),
    ({"sub": "7" * 257}, "it names no user (sub)."),
)
def test_claims_without_a_user_are_refused(project: Project, claims: dict[str, object], reason: str) -> None:
    # Not by PyJWT, which makes no such token.
    parts = (json.dumps(part).encode() for part in ({"alg": "HS256"}, JOAN | claims))
    text = ".".join([*(base64url.encode(part) for part in parts), ""])
    with pytest.raises(ApiError) as refusal:
        user_of_token(project, "firebase", text)
    assert refusal.value.row.code == "player_token_invalid"
    assert refusal.value.message.endswith(reason)
    assert len(project.identity.users) == 0


@cases("email", "a b", "ada@", 7, "a" * 250 + "@b.co", None)
def test_what_is_no_address_is_no_user_s_address(project: Project, email: object) -> None:
    user = user_of_token(project, "firebase", token(email=email, name=["Joan"], sub="n"))
    assert (user.email, user.email_verified, user.name) == (None, False, "")
    assert user_of_token(project, "firebase", token(email=email, sub="n" * 256)).id != user.id


def test_a_name_has_256_characters_at_most(project: Project) -> None:
    assert user_of_token(project, "firebase", token(name="n" * 300)).name == "n" * 256


def test_a_user_is_named_by_number_or_the_providers_member(project: Project) -> None:
    assert user_of_token(project, "firebase", jwt.encode({"user_id": 7}, SECRET)) == user_of_token(
        project, "firebase", jwt.encode({"sub": "", "user_id": "7"}, SECRET)
    )
