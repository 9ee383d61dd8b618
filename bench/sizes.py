"""What a request costs among few rows and among many."""

from collections.abc import Callable, Iterator
from time import perf_counter_ns
from typing import NamedTuple

from mockserver.api.call import Request
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.guardrails import Policy, PolicyRule
from mockserver.state.identity import Session, User
from mockserver.state.onchain import Fate
from mockserver.state.world import World

_KEY = "sk_test_size"
_RULE = "  - {{when: {{call: {operation}}}, then: {{answer: 500}}}}\n"


class Size(NamedTuple):
    """A request, in microseconds among few rows and among many."""

    name: str
    few_us: float
    many_us: float


def measure(few: int = 1_000, many: int = 100_000) -> Iterator[Size]:
    """Each request in a world of `few` rows of the kind that could slow it, and in one of `many`."""
    for name, fill in _CASES.items():
        yield Size(name, _cost(fill, few), _cost(fill, many))


def _cost(fill: "Fill", count: int) -> float:
    world = World()
    app = assemble(world)
    make = fill(world, app, count)
    costs = []
    for number in range(50):
        request = make(number)
        began = perf_counter_ns()
        outcome = app.pipeline.answer(request)
        costs.append(perf_counter_ns() - began)
        if isinstance(outcome, WaitingCall):
            # A long list: other requests are answered here.
            app.pipeline.finish(outcome)
    return sorted(costs)[len(costs) // 2] / 1000


MakeRequest = Callable[[int], Request]
Fill = Callable[[World, App, int], MakeRequest]


def _read(number: int) -> Request:
    return Request("GET", f"/v1/contracts/con_{number}", "", {"authorization": f"Bearer {_KEY}"})


def _unknown_token(world: World, app: App, count: int) -> MakeRequest:
    for number in range(count):
        world.create(name=f"p{number}")
    return lambda number: Request("GET", "/v2/accounts", "", {"authorization": f"Bearer unknown{number}"})


def _delete_project(world: World, app: App, count: int) -> MakeRequest:
    for number in range(count):
        world.create(name=f"p{number}")
    ids = [project.id for project in world]
    return lambda number: Request("DELETE", f"/_mock/projects/{ids[number]}", "", {})


def _list_projects(world: World, app: App, count: int) -> MakeRequest:
    for number in range(count):
        world.create(name=f"p{number}")
    return lambda number: Request("GET", "/_mock/projects", "limit=10", {})


def _sign_among_policies(world: World, app: App, count: int) -> MakeRequest:
    project = world.key(_KEY).project
    rules = (PolicyRule("plr_1", 0, "reject", "signSolMessage"),)
    for number in range(count):
        project.guardrails.policies.insert(Policy(f"ply_{number}", 0, "project", None, None, True, 0, rules))
    project.undo.mark()
    body = b'{"operation":"signEvmHash"}'
    headers = {"authorization": f"Bearer {_KEY}", "content-type": "application/json"}
    return lambda number: Request("POST", "/v2/policies/evaluate", "", headers, body)


def _read_among_rules(world: World, app: App, count: int) -> MakeRequest:
    project = world.key(_KEY).project
    # Loading is measured elsewhere; a hundredth of the rows is still more than any scenario has.
    rules = _RULE.format(operation="ListPolicies") * (count // 100)
    text = f"name: many\nrules:\n{rules}".encode()
    headers = {"content-type": "application/yaml"}
    app.pipeline.answer(Request("POST", f"/_mock/projects/{project.id}/scenarios", "", headers, text))
    return _read


def _send_among_fates(world: World, app: App, count: int) -> MakeRequest:
    project = world.key(_KEY).project
    for number in range(count):
        project.onchain.fates.insert(
            Fate(
                f"fat_{number}", 0, "reverted", "solana_transaction", 1, chain_id=900, account_id=str(number)
            )
        )
    project.undo.mark()
    path = f"/_mock/projects/{project.id}/solana/transactions"
    headers = {"content-type": "application/json"}
    return lambda number: Request("POST", path, "", headers, b"{}")


def _list_sessions(world: World, app: App, count: int) -> MakeRequest:
    project = world.key(_KEY).project
    identity = project.identity
    for number in range(count):
        identity.users.insert(User(f"usr_{number}", 0, 0, "Ada"))
        identity.sessions.insert(
            Session(
                str(number),
                f"{project.token_tag}{number}",
                f"usr_{number}",
                project.clock.now_ms,
                project.clock.now_ms,
                project.clock.now_ms + 10**9,
                True,
                "",
                "",
            )
        )
    project.undo.mark()
    return lambda number: Request(
        "GET",
        "/iam/v2/auth/list-sessions",
        "",
        {"authorization": f"Bearer {project.token_tag}{number}"},
    )


def _list_sessions_of_one(world: World, app: App, count: int) -> MakeRequest:
    project = world.key(_KEY).project
    user = create_user(project, name="Ada", email="ada@mock.example")
    tokens = [open_session(project, user).token for _ in range(count // 10)]
    project.undo.mark()
    return lambda number: Request(
        "GET", "/iam/v2/auth/list-sessions", "", {"authorization": f"Bearer {tokens[0]}"}
    )


def _list_all(world: World, app: App, count: int) -> MakeRequest:
    project = world.key(_KEY).project
    for number in range(count):
        project.identity.users.insert(User(f"usr_{number}", 0, 0, f"Ada {number}"))
    project.undo.mark()
    headers = {"authorization": f"Bearer {_KEY}"}
    return lambda number: Request("GET", "/v2/users", "limit=1000000", headers)


def _list_by_name(world: World, app: App, count: int) -> MakeRequest:
    _list_all(world, app, count)
    headers = {"authorization": f"Bearer {_KEY}"}
    return lambda number: Request("GET", "/v2/users", "name=Nemo", headers)


def _page_of_table(world: World, app: App, count: int) -> MakeRequest:
    _list_all(world, app, count)
    path = f"/_mock/projects/{world.key(_KEY).project.id}/tables/identity.users"
    return lambda number: Request("GET", path, "limit=10", {})


def _evaluate_all(world: World, app: App, count: int) -> MakeRequest:
    project = world.key(_KEY).project
    criteria = ({"type": "evmAddress", "operator": "in", "addresses": ["0x" + "11" * 20]},)
    rules = (PolicyRule("plr_1", 0, "accept", "sendEvmTransaction", criteria),)
    for number in range(count):
        project.guardrails.policies.insert(Policy(f"ply_{number}", 0, "project", None, None, True, 0, rules))
    project.undo.mark()
    body = b'{"operation":"sendEvmTransaction","payload":{"to":"0x' + b"22" * 20 + b'"}}'
    headers = {"authorization": f"Bearer {_KEY}", "content-type": "application/json"}
    return lambda number: Request("POST", "/v2/policies/evaluate", "", headers, body)


_CASES: dict[str, Fill] = {
    "an unknown token, among projects": _unknown_token,
    "deleting a project, among projects": _delete_project,
    "a page of projects, among projects": _list_projects,
    "evaluating, among policies about other operations": _sign_among_policies,
    "a read, among rules about other operations": _read_among_rules,
    "a Solana transaction, among fates for other accounts": _send_among_fates,
    "a user's sessions, among those of other users": _list_sessions,
    "a tenth as many sessions of one user, a slice of them": _list_sessions_of_one,
    "all users, a slice of them": _list_all,
    "a page of a table, among its rows": _page_of_table,
    "users by name, none of which fits": _list_by_name,
    "evaluating policies that are all about the operation": _evaluate_all,
}
