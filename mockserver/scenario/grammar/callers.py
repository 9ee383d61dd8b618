"""Who makes a call, as rules look at it: by which kind of key, for which user, with which scope."""

from typing import Annotated, Literal

from pydantic import AfterValidator

from mockserver.api.access import Scheme
from mockserver.api.call import Identified
from mockserver.domain.identity.access_tokens import read_token
from mockserver.domain.identity.social.third_party import find_user_id as find_third_party_user_id
from mockserver.scenario.grammar.parts import Part, Says, Text
from mockserver.scenario.grammar.project_setup import check_scope
from mockserver.scenario.grammar.value_tests import Test

SECRET, PUBLISHABLE = "secret", "publishable"


class CallerTest(Part):
    """What must hold of the caller. All of it must."""

    what = "a caller"
    empty = "caller says nothing; it has at least one of {names}"

    key: Annotated[Literal["secret", "publishable"], Says("is secret or publishable")] | None = None
    """The kind of the key. A call with a user's token comes with a publishable key."""
    user: Test | None = None
    """The id of the user whose token is sent."""
    scope: Annotated[Text, AfterValidator(check_scope)] | None = None
    """What the secret key may do; one without scopes may do everything."""


def kind_of_key(identified: Identified) -> str:
    """Whether a call comes with a secret or with a publishable key."""
    return SECRET if identified.scheme is Scheme.SECRET_KEY else PUBLISHABLE


def has_scope(identified: Identified, scope: str) -> bool:
    """Whether a call comes with a secret key that may do this."""
    return kind_of_key(identified) == SECRET and (not identified.scopes or scope in identified.scopes)


def find_user_id(identified: Identified) -> str | None:
    """The id of the user whose valid token a call carries.

    It changes nothing: neither does it renew a session nor create the user of a provider's token.
    """
    if identified.token is None:
        return None
    project = identified.project
    if identified.scheme is Scheme.THIRD_PARTY:
        return find_third_party_user_id(project, identified.provider or "", identified.token)
    reading = read_token(project, identified.token)
    return None if reading is None else reading.user.id
