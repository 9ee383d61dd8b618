"""The tour: a request for each operation, in an order in which each succeeds."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from mockserver.api.access import Scheme
from mockserver.api.endpoint import Endpoint
from mockserver.kernel.mappings import map_texts
from mockserver.launch.application import DEFAULT_PROJECT, DEFAULT_SCENARIO
from mockserver.request_collections.references import Reference, references_in, to_text
from mockserver.scenario.checking.load import read
from mockserver.scenario.running.apply import apply
from mockserver.scenario.running.steps import project_values
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.world import World
from mockserver.yaml_files import read_yaml

_SECRET = ("Authorization", "Bearer ${project.secret_key}")
_PUBLISHABLE = ("Authorization", "Bearer ${project.publishable_key}")
_PROJECT = ("x-project-key", "${project.publishable_key}")
_CONSTANT = re.compile(r"\$\{(\w+)\}")
_SAFE = "${}[].?/@"
_TOKEN = "wallet_token"
BASE_URL = "${base_url}"
"""The variable of the server's URL."""


class Item(NamedTuple):
    """One request. Its texts may have references."""

    folder: str
    endpoint: Endpoint
    path: str
    """With its query."""
    headers: tuple[tuple[str, str], ...]
    body: str
    status: int
    """Of the answer."""
    captures: tuple[Reference, ...]
    """What later requests need of its answer."""

    @property
    def url(self) -> str:
        """Its whole URL."""
        return f"{BASE_URL}{self.path}"

    @property
    def name(self) -> str:
        """What a client shows."""
        return self.endpoint.operation


class Tour(NamedTuple):
    """The requests in order."""

    items: tuple[Item, ...]

    @property
    def folders(self) -> dict[str, list[Item]]:
        """The requests by folder."""
        found: dict[str, list[Item]] = {}
        for item in self.items:
            found.setdefault(item.folder, []).append(item)
        return found

    def variables(self) -> list[Reference]:
        """Everything that the requests refer to, each once."""
        texts = [(item.url, item.body, *(value for _, value in item.headers)) for item in self.items]
        return list(dict.fromkeys(each for item in texts for text in item for each in references_in(text)))


@cache
def read_tour() -> Tour:
    """The tour that comes with the package."""
    written = read_yaml(files(__package__).joinpath("tour.yaml").read_text(encoding="utf-8"))
    fill = partial(_CONSTANT.sub, lambda match: written["constants"].get(match[1], match[0]))
    folders = map_texts(written["folders"], fill)
    made = [named for folder, steps in folders.items() for step in steps for named in _items(folder, step)]
    needed: dict[str, list[Reference]] = {}
    for each in Tour(tuple(item for _, item in made)).variables():
        needed.setdefault(each.answer, []).append(each)
    return Tour(tuple(item._replace(captures=tuple(needed.get(name, ()))) for name, item in made))


def _items(folder: str, step: Mapping[str, Any]) -> Iterator[tuple[str, Item]]:
    """The requests of a step, each with the name of its answer: signing comes before what is signed."""
    endpoint = ROUTES.by_operation[step["call"]]
    path, body = _target(endpoint, step), to_text(step["body"]) if "body" in step else ""
    headers = _headers(endpoint, step)
    if body:
        headers = (*headers, ("Content-Type", "application/json"))
    if endpoint.access.wallet_auth:
        signed = {"method": endpoint.method, "path": path, "body": body}
        yield from _items(folder, {"call": "SignWalletRequest", "body": signed, "as": _TOKEN})
        headers = (*headers, ("X-Wallet-Auth", f"${{{_TOKEN}.token}}"))
    yield (
        step.get("as", ""),
        Item(folder, endpoint, path, headers, body, step.get("status", endpoint.status), ()),
    )


def _target(endpoint: Endpoint, step: Mapping[str, Any]) -> str:
    path = endpoint.path.replace("{p}", "-")
    for name, value in step.get("path", {}).items():
        path = path.replace(f"{{{name}}}", value)
    query = "&".join(f"{name}={quote(value, safe=_SAFE)}" for name, value in step.get("query", {}).items())
    return f"{path}?{query}" if query else path


def _headers(endpoint: Endpoint, step: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The credentials: of the session that a step names, or else those that the operation likes best."""
    schemes = endpoint.access.schemes
    if "session" in step:
        token = f"${{{step['session']}}}"
        if Scheme.AUTH_TOKEN in schemes:
            return ("Authorization", f"Bearer {token}"), _PROJECT
        return _PUBLISHABLE, ("x-player-token", token)
    if not endpoint.family.public:
        return (_SECRET,)
    if Scheme.PROJECT_KEY in schemes:
        return (_PROJECT,)
    if Scheme.SECRET_KEY in schemes and step.get("by") != "publishable":
        return (_SECRET,)
    return (_PUBLISHABLE,) if schemes else ()


def default_values(tour: Tour, base_url: str, seed: str | None = None) -> dict[str, str]:
    """The values of variables, by name, in the default project of a server with a seed."""
    answers = {**_answers(seed), "base_url": base_url}
    found: dict[str, str] = {}
    for reference in tour.variables():
        if reference.answer in answers:
            found[reference.variable] = reference.read(answers[reference.answer])
    return found


def _answers(seed: str | None) -> dict[str, Any]:
    """What the steps of the default scenario are answered: ids follow from the seed."""
    world = World() if seed is None else World(seed)
    project = world.create(name=DEFAULT_PROJECT)
    scenario = read(DEFAULT_SCENARIO.read_text(encoding="utf-8"), DEFAULT_SCENARIO.name, ROUTES)
    loaded = apply(world, project, scenario, assemble(world).pipeline.answer)
    return {**loaded.captured, **project_values(project)}
