"""What a rule asks of a resource: what the API would say of it when the call comes."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated, Any

from pydantic import Field, ValidationInfo
from pydantic_core import InitErrorDetails, to_jsonable_python

from mockserver.api.access import Scheme
from mockserver.api.call import Call, Caller, Request
from mockserver.api.endpoint import Routes
from mockserver.domain.chains.ledger import chain_account
from mockserver.errors import ApiError
from mockserver.scenario.grammar.body_tests import check_tests
from mockserver.scenario.grammar.parts import KEY, Part, Says, ShortFor, Text, at, misfit, routes_of
from mockserver.scenario.grammar.value_tests import BodyPath, Test
from mockserver.scenario.reading.tree import ABSENT
from mockserver.state.project import Project

BALANCE = "balance"
"""The member that only rules see: what an account has on a chain, in wei."""

OPERATIONS = {
    "account": "getAccountV2",
    "contract": "GetContract",
    "policy": "GetPolicyV2",
    "session": "GetSession",
    "sponsorship": "GetFeeSponsorship",
    "transaction": "GetTransaction",
    "user": "GetAuthUser",
}
"""The kinds of resources, and the operations whose answers show them."""


class FromCall(Part):
    """A value that the call itself carries."""

    what = "a value of the call"
    empty = "a value of the call has one of {names}"

    path: Text | None = None
    """A parameter of the path."""
    query: Text | None = None
    body: BodyPath | None = None
    text: Text | None = None
    """This text, whatever the call."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """There is one place to take it from."""
        for name in [*members][1:]:
            yield at(misfit(f"{next(iter(members))} and {name} exclude each other", kind=KEY), name)

    def __str__(self) -> str:
        if self.text is not None:
            return self.text
        if self.body is not None:
            return f"{'.'.join(self.body)} of the body"
        return f"{self.path} of the path" if self.path is not None else f"{self.query} of the query"


_Value = Annotated[FromCall, ShortFor("text")]


class ResourceTest(Part):
    """What must hold of a resource when the call comes, as the API would show it."""

    what = "a resource"
    empty = "a resource has one of account, contract, policy, session, sponsorship, transaction, user"

    account: _Value | None = None
    contract: _Value | None = None
    policy: _Value | None = None
    session: _Value | None = None
    """A session key."""
    sponsorship: _Value | None = None
    transaction: _Value | None = None
    user: _Value | None = None
    chain: _Value = field(default_factory=lambda: FromCall(body=("chainId",)))
    """The chain of the balance; `chainId` of the body unless given."""
    has: dict[BodyPath, Test] | None = None
    """Members of the answer by path, and of an account its `balance` in wei."""
    exists: Annotated[bool, Field(strict=True), Says("is true or false")] = True
    """Whether it has to be there, or must not be."""

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """It is one resource, and asked for what resources of its kind have."""
        kinds = [name for name in members if name in OPERATIONS]
        for name in kinds[1:]:
            yield at(misfit(f"{kinds[0]} and {name} exclude each other", kind=KEY), name)
        if not kinds:
            yield at(misfit(cls.empty))
            return
        has = members.get("has")
        if members.get("exists") is False and "has" in members:
            yield at(misfit("what must not be there has no members"), "has")
        elif isinstance(has, dict):
            asked = {
                path: test for path, test in has.items() if not (kinds[0] == "account" and path == BALANCE)
            }
            answer = routes_of(info).by_operation[OPERATIONS[kinds[0]]].answer
            yield from check_tests(asked, [answer], f"the answer of {OPERATIONS[kinds[0]]}", "has")

    @property
    def kind(self) -> str:
        """Which kind of resource it is."""
        return next(name for name in OPERATIONS if getattr(self, name) is not None)

    @property
    def which(self) -> FromCall:
        """Where its id is taken from."""
        found: FromCall = getattr(self, self.kind)
        return found


def find_resource(project: Project, routes: Routes, kind: str, resource_id: str) -> Any:
    """A resource as the API shows it to a secret key, or `ABSENT`. Nothing is changed."""
    endpoint = routes.by_operation[OPERATIONS[kind]]
    path, query = {endpoint.parameters[0]: resource_id}, endpoint.read_query("")
    request = Request(endpoint.method, endpoint.path, "", {})
    call = Call(project, Caller(Scheme.SECRET_KEY), path, None, query, request)
    with project.undo.undone():
        try:
            return to_jsonable_python(endpoint.handler(call))
        except ApiError:
            return ABSENT


def find_balance(project: Project, account: Any, chain: str) -> str:
    """What an account has on a chain, in wei, or `ABSENT` if it has no address there."""
    address = account.get("address") if isinstance(account, dict) else None
    if not isinstance(address, str) or not address.startswith("0x") or not chain.isdecimal():
        return ABSENT  # type: ignore[no-any-return]
    return str(chain_account(project, int(chain[:20]), address).balance)
