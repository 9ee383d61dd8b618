"""Every example of the README, the guides and CONTRIBUTING, run as it stands there.

What a fence is for is said by its language, and by the word behind it:

- `python`: a block with tests in it is run by pytest; with a file name, it is that file for the
  page's tests, or the next part of it; with the path of a module of the package, it is added to that
  module for the page's tests; any other runs from the top of the page to its end, all blocks in one
  namespace
- `yaml`: a scenario, loaded; with a file name, it is also that file for the page's tests;
  `yaml compose` is a Compose file, `yaml hooks` a configuration of pre-commit, `yaml steps` the steps of a
  job of GitHub Actions, `yaml actions` and `yaml gitlab` are workflows with the server as a service,
  `yaml entry-point` is a scenario that needs a package of npm
- `sh`: commands; those of `curl` are sent to a live server, with a status behind `sh` when they are
  refused; `sh start` and `sh test` are tested beside the command line, `sh way` beside the replay
- with the path of a file of `examples`, in any language: a part of that file, which is tested there;
  languages that are not named here have no other blocks
- `json`: what the `curl` before it answers, or a part of that; `json wiremock` is a mapping of
  WireMock, which the next scenario of the page replaces
- `text` and `mermaid`: not run
"""

import importlib
import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import eth_account  # noqa: F401
import httpx
import pytest
import yaml

# With these imported here, the pytest that runs a page's tests need not import them anew.
import mockserver.server.edge.listening
import mockserver.testing.client  # noqa: F401
from mockserver import __version__, cli
from mockserver.exploring.coverage import read_not_applicable
from mockserver.launch.application import DEFAULT_PROJECT
from mockserver.launch.play import PASSED, play_file
from mockserver.launch.redirecting import read_hosts
from mockserver.scenario.checking.load import read
from mockserver.scenario.running.apply import apply
from mockserver.server.answering.control_access import read_control_token
from mockserver.server.answering.control_token import TOKEN_VARIABLE
from mockserver.server.assembly import ROUTES
from mockserver.server.edge.app import App
from mockserver.state.api_keys import ApiKey
from mockserver.state.world import World
from mockserver.testing.server import LiveServer
from mockserver.upstream.known import read_known
from tests.tables import cases
from tests.transport import InProcessTransport

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
# The pages of operations have a test of their own: test_operation_pages.py.
_GENERATED = ROOT / "docs" / "reference" / "operations"
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md"))
    if not page.is_relative_to(_GENERATED)
)
OTHER_LANGUAGES = ("bash", "go", "java", "javascript", "typescript")
KINDS = ("python", "yaml", "toml", "sh", "json", "text", "mermaid", *OTHER_LANGUAGES)
PRINTED_URL = "http://127.0.0.1:4242"

_FENCE = re.compile(r"^```(\S*) ?(.*)$")
_SCENARIO_ENDING = (".yaml", ".yml")


@dataclass(frozen=True)
class Block:
    """A fenced block, the line its text begins on, and the words of its fence."""

    page: Path
    line: int
    kind: str
    word: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def is_file(self) -> bool:
        return "." in self.word and not (self.is_addition or self.is_part)

    @property
    def is_part(self) -> bool:
        return self.word.startswith("examples/")

    @property
    def is_addition(self) -> bool:
        return self.word.startswith("mockserver/")

    @property
    def is_test(self) -> bool:
        if self.kind != "python" or self.is_part:
            return False
        return re.search(r"^def test_", self.text, re.MULTILINE) is not None


def read_blocks(page: Path) -> list[Block]:
    """The blocks of a page; a fence that is not closed is a ValueError."""
    found: list[Block] = []
    opened: tuple[int, str, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        match = _FENCE.match(line)
        if opened is None:
            if match:
                opened, lines = (number + 1, match[1], match[2]), []
            elif line.lstrip().startswith(("```", "~~~")):
                raise ValueError(f"{page.name}:{number}: a fence is neither indented nor made of tildes")
        elif line == "```":
            found.append(Block(page, *opened, "\n".join(lines) + "\n"))
            opened = None
        else:
            lines.append(line)
    if opened is not None:
        raise ValueError(f"{page.name}:{opened[0]}: the fence is not closed")
    return found


BLOCKS = [block for page in PAGES for block in read_blocks(page)]


def pages_with(chosen: list[Block]) -> list[Any]:
    pages = dict.fromkeys(block.page for block in chosen)
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in pages]


_TESTED_ELSEWHERE = ("start", "test", "way")
_NO_SCENARIO = (
    "actions",
    "compose",
    "entry-point",
    "gitlab",
    "hooks",
    "hosts",
    "known",
    "not-applicable",
    "steps",
)
TESTS = [block for block in BLOCKS if block.is_test]
SCRIPTS = [block for block in BLOCKS if block.kind == "python" and not (block.is_test or block.word)]
SCENARIOS = [
    block for block in BLOCKS if block.kind == "yaml" and block.word not in _NO_SCENARIO and not block.is_part
]
STEPS = [block for block in BLOCKS if block.kind == "yaml" and block.word == "steps"]
COMPOSE = [block for block in BLOCKS if block.kind == "yaml" and block.word == "compose"]
PARTS = [block for block in BLOCKS if block.is_part]
PIPELINES = [block for block in BLOCKS if block.kind == "yaml" and block.word in ("actions", "gitlab")]
HOOKS = [block for block in BLOCKS if block.kind == "yaml" and block.word == "hooks"]
HOSTS = [block for block in BLOCKS if block.kind == "yaml" and block.word == "hosts"]
KNOWN = [block for block in BLOCKS if block.kind == "yaml" and block.word == "known"]
LEFT_OUT = [block for block in BLOCKS if block.kind == "yaml" and block.word == "not-applicable"]
MAPPINGS = [block for block in BLOCKS if block.kind == "json" and block.word == "wiremock"]
CLIENTS = [block for block in BLOCKS if block.kind == "json" and block.word == "mcp"]
COMMANDS = [block for block in BLOCKS if block.kind == "sh" and block.word not in _TESTED_ELSEWHERE]


@cases("block", *BLOCKS, ids=str)
def test_a_block_is_of_a_kind_that_is_run_or_needs_no_running(block: Block) -> None:
    assert block.kind in KINDS
    if block.kind in ("python", "yaml"):
        assert block.word in ("", *_NO_SCENARIO) or block.is_file or block.is_addition or block.is_part
    if block.kind in OTHER_LANGUAGES:
        assert block.is_part
    if block.kind == "sh":
        assert block.word in ("", *_TESTED_ELSEWHERE) or block.word.isdecimal()
    if block.kind == "json" and block not in (*MAPPINGS, *CLIENTS):
        before = BLOCKS[BLOCKS.index(block) - 1]
        assert (before.page, before.kind) == (block.page, "sh")


@cases("block", *PARTS, ids=str)
def test_a_part_of_an_example_is_as_in_its_file(block: Block) -> None:
    assert f"\n{block.text}" in (ROOT / block.word).read_text(encoding="utf-8")


GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))


# The page is used with a mouse.
@cases("guide", *[guide for guide in GUIDES if guide.name != "page.md"], ids=lambda guide: guide.stem)
def test_a_guide_begins_with_what_it_is_for_and_an_example(guide: Path) -> None:
    title, _, rest = guide.read_text(encoding="utf-8").partition("\n\n")
    assert title.startswith("# ")
    assert not rest.startswith(("#", "```", "|", "!"))
    first = next(block for block in BLOCKS if block.page == guide)
    assert first.kind not in ("text", "mermaid")
    assert rest.partition(first.text)[0].count("\n## ") <= 1


WITH_GREETINGS = """
import httpx
import pytest

from greetings import greetings
from mockserver.api.endpoint import Routes
from mockserver.server.edge.app import App
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.answering.pipeline import Pipeline
from mockserver.state.world import World
from tests.transport import InProcessTransport


@pytest.fixture
def api():
    world = World()
    app = App(Pipeline(world, Routes((*ENDPOINTS, *greetings)), print))
    headers = {"authorization": f"Bearer {world.create().secret_key}"}
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        yield client
"""
"""The fixture of this project's tests, with the group listed that CONTRIBUTING adds."""


# --- Python --------------------------------------------------------------------------------------------


@cases("page", *pages_with(TESTS))
def test_the_tests_of_a_page_pass(
    page: Path,
    pytester: pytest.Pytester,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    warning_options: tuple[str, ...],
) -> None:
    blocks = [block for block in BLOCKS if block.page == page]
    for block in blocks:
        if block.is_addition:
            add_to_module(block, monkeypatch)
        if block.is_file:
            path = pytester.path / block.word
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("a") as file:
                file.write(block.text)
    tests = [block for block in blocks if block.is_test]
    unnamed = [block.text for block in tests if not block.is_file]
    if unnamed:
        pytester.makepyfile("\n\n".join(unnamed))
    if page.name == "CONTRIBUTING.md":
        pytester.makeconftest(WITH_GREETINGS)
    # Where the package is not installed, its entry point does not load the plugin.
    installed = request.config.pluginmanager.has_plugin("mockserver")
    plugin = () if installed else ("-p", "mockserver.pytest_plugin")
    # That plugin imports all of hypothesis to sum up a run, which takes longer than the run.
    without = ("-p", "no:hypothesispytest", "-p", "no:cacheprovider")
    # Earlier tests of this process may have imported the plugin.
    warnings = (*warning_options, "-W", "ignore::pytest.PytestAssertRewriteWarning")
    result = pytester.runpytest_inprocess(*plugin, *without, *warnings)
    count = sum(len(re.findall(r"^def test_", block.text, re.MULTILINE)) for block in tests)
    assert result.ret == 0
    assert result.parseoutcomes()["passed"] >= count


def add_to_module(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a block with the names of its module, and add what it defines to the module."""
    module = importlib.import_module(block.word.removesuffix(".py").replace("/", "."))
    added: dict[str, Any] = {}
    exec(block.text, dict(vars(module)), added)
    for name, value in added.items():
        monkeypatch.setattr(module, name, value, raising=False)


@cases("page", *pages_with(SCRIPTS))
def test_the_code_of_a_page_runs_from_top_to_bottom(page: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in SCRIPTS:
        if block.page == page:
            # Lines are counted from the page's top, so that a traceback points into it.
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)


# --- scenarios -------------------------------------------------------------------------------------------


@cases("block", *SCENARIOS, ids=str)
def test_a_scenario_loads(block: Block, world: World, app: App) -> None:
    assert not block.word or block.word.endswith(_SCENARIO_ENDING)
    scenario = read(block.text, str(block), ROUTES)
    project = world.create(name="docs")
    for other in SCENARIOS:
        if other.page == block.page and other.word in scenario.requires:
            apply(world, project, read(other.text, other.word, ROUTES), app.pipeline.answer)
    assert len(apply(world, project, scenario, app.pipeline.answer).rules) == block.text.count("then:")


@cases("block", *HOSTS, ids=str)
def test_hosts_that_are_redirected_are_read(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "hosts.yaml"
    file.write_text(block.text, encoding="utf-8")
    assert read_hosts(file)["sepolia.base.org"] == 84532


@cases("block", *LEFT_OUT, ids=str)
def test_what_error_coverage_leaves_out_is_read(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "not-applicable.yaml"
    file.write_text(block.text, encoding="utf-8")
    assert "CreateTransaction" in read_not_applicable(file)


@cases("block", *KNOWN, ids=str)
def test_the_known_deviations_are_read(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "known.yaml"
    file.write_text(block.text, encoding="utf-8")
    assert read_known(file)[0].since == "2026-11-27"


@cases("block", *MAPPINGS, ids=str)
def test_a_scenario_answers_as_the_mapping_that_it_replaces(block: Block, app: App, world: World) -> None:
    mapping = json.loads(block.text)
    scenario = next(other for other in SCENARIOS if other.page == block.page and other.line > block.line)
    project = world.create()
    apply(world, project, read(scenario.text, str(scenario), ROUTES), app.pipeline.answer)
    headers = {"authorization": f"Bearer {project.secret_key}"}
    request, response = mapping["request"], mapping["response"]
    with httpx.Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as client:
        if "fault" in response:
            assert response["fault"].lower() in scenario.text
            with pytest.raises(httpx.TransportError):
                client.request(request["method"], request["urlPath"])
            return
        answer = client.request(request["method"], request["urlPath"])
    assert answer.status_code == response["status"]
    assert_part(response.get("jsonBody", {}), answer.json() if "jsonBody" in response else {}, str(block))
    assert {(name.lower(), value) for name, value in response.get("headers", {}).items()} <= set(
        answer.headers.items()
    )


@cases("block", *CLIENTS, ids=str)
def test_a_client_of_tools_starts_a_command_or_asks_a_server(block: Block) -> None:
    (server,) = json.loads(block.text)["mcpServers"].values()
    if "url" in server:
        methods, _ = ROUTES.find(httpx.URL(server["url"]).path)
        assert "POST" in methods
    else:
        check(server["args"][server["args"].index("mockserver") :])


# --- commands --------------------------------------------------------------------------------------------


@pytest.fixture
def served() -> Iterator[str]:
    """The URL of a server like one that `mockserver serve` started, except that its clock stands still."""
    with LiveServer() as server:
        server.control.create_project(name="default", livemode=True)
        project = server.control.create_project(name="default")
        project.load(ROOT / "mockserver" / "scenario" / "default.yaml")
        yield server.url


@cases("page", *pages_with(COMMANDS))
def test_the_commands_of_a_page_work(page: Path, served: str) -> None:
    answer: httpx.Response | None = None
    for block in BLOCKS:
        if block.page != page:
            continue
        if block in COMMANDS:
            for words in commands(block.text):
                answer = None
                if words[0] == "curl":
                    answer = run(words, served)
                    assert_status(answer, block)
                else:
                    check(words)
        elif block.kind == "json" and block not in MAPPINGS:
            assert answer is not None, f"{block} follows no curl"
            assert_part(json.loads(block.text), answer.json(), str(block))


def commands(text: str) -> list[list[str]]:
    """The commands of a block, in words; comments and continued lines as a shell takes them."""
    return [
        words
        for line in text.replace("\\\n", " ").splitlines()
        if (words := shlex.split(line, comments=True))
    ]


def assert_status(answer: httpx.Response, block: Block) -> None:
    if block.word:
        assert answer.status_code == int(block.word), answer.text
    else:
        assert answer.is_success, f"{block}: {answer.text}"


def run(words: list[str], served: str) -> httpx.Response:
    """What a curl command is answered."""
    method: str | None = None
    headers: dict[str, str] = {}
    body: bytes | None = None
    url = ""
    rest = iter(words[1:])
    for word in rest:
        if word == "-X":
            method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(":")
            headers[name.lower()] = value.strip()
        elif word in ("-d", "--data-binary"):
            text = next(rest)
            body = (ROOT / text[1:]).read_bytes() if text.startswith("@") else text.encode()
            headers.setdefault("content-type", "application/x-www-form-urlencoded")
        else:
            assert word.startswith(PRINTED_URL), f"{word} is no option of curl that this test knows"
            url = word.replace(PRINTED_URL, served)
    return httpx.request(method or ("GET" if body is None else "POST"), url, headers=headers, content=body)


def check(words: list[str]) -> None:
    """See that a command is one that its program takes."""
    program, *arguments = words
    match Path(program).name:
        case "mockserver":
            cli.build_parser().parse_args(arguments)
        case "docker":
            _check_docker(arguments)
        case "pip":
            assert arguments[:1] == ["install"]
            editable = [["-e", f".{extras}"] for extras in ("", "[test]", "[test,page]")]
            assert arguments[1:] in (["."], ["pytest"], ["-r", ".ci/tools.txt"], *editable)
        case "python":
            _check_python(arguments)
        case "ruff" | "mypy" | "lint-imports" | "pytest":
            module = {"lint-imports": "importlinter"}.get(program, program)
            assert importlib.util.find_spec(module) or program == "ruff"
        case "uvicorn":
            module, _, name = next(word for word in arguments if ":" in word).partition(":")
            assert callable(getattr(importlib.import_module(module), name))
        case "coverage":
            assert arguments[0] in ("run", "combine", "report")
        case "pre-commit":
            assert arguments == ["install"]
            assert (ROOT / ".pre-commit-config.yaml").is_file()
        case "npm":
            packages = [word.removeprefix("path/to/mockserver/") for word in arguments if "/" in word]
            assert packages
            assert arguments[0] == "install"
            assert all((ROOT / package / "package.json").is_file() for package in packages)
        case "certutil":
            # Run in tests/page, where there is a browser that reads what it writes.
            assert arguments[-1] == "$NODE_EXTRA_CA_CERTS"
        case "source":
            assert arguments == [".venv/bin/activate"]
        case "bash":
            assert (ROOT / arguments[0]).is_file()
        case "export":
            assert arguments[0].partition("=")[0] == "TESTS_THOROUGHNESS"
        case _:
            pytest.fail(f"nothing is known of the program {program}")


def _check_python(arguments: list[str]) -> None:
    if arguments[0] == "-m":
        assert importlib.util.find_spec(arguments[1])
    else:
        assert (ROOT / arguments[0]).is_file()


def _check_docker(arguments: list[str]) -> None:
    if arguments[:2] == ["compose", "up"] or arguments[0] == "build":
        return
    assert arguments[0] == "run"
    image = arguments.index("mockserver")
    options = dict(pairwise(arguments[:image]))
    if "-v" in options:
        _check_mount(options["-v"])
    command = "serve"
    if arguments[image + 1 :]:
        command = cli.build_parser().parse_args(arguments[image + 1 :]).command
    if command == "serve":
        port = _instruction("EXPOSE")
        assert options["-p"] == f"127.0.0.1:{port}:{port}"
        if "-e" in options:
            name, _, token = options["-e"].partition("=")
            assert name == TOKEN_VARIABLE
            read_control_token(token)


@cases("block", *[block for block in SCENARIOS if "\nexpect:" in block.text], ids=str)
def test_what_a_scenario_expects_holds(block: Block, tmp_path: Path) -> None:
    file = tmp_path / (block.word or "scenario.yaml")
    file.write_text(block.text, encoding="utf-8")
    played = play_file(file)
    assert (played.code, played.lines) == (PASSED, [])


@cases("block", *HOOKS, ids=str)
def test_a_pre_commit_configuration_names_hooks_that_exist(block: Block) -> None:
    defined = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (repository,) = yaml.safe_load(block.text)["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in defined}


@cases("block", *STEPS, ids=str)
def test_steps_of_a_job_run_commands_or_use_actions(block: Block, pytestconfig: pytest.Config) -> None:
    steps = yaml.safe_load(block.text)
    assert all(("run" in step) is not ("uses" in step) for step in steps)
    commands = [shlex.split(step["run"]) for step in steps if "run" in step]
    for program, *options in commands:
        assert program == "pytest" or [program, *options] == ["npm", "test"]
        if program == "pytest":
            pytestconfig._parser.parse(options)
    for step in steps:
        owner, _, path = step.get("uses", "").partition("@")[0].partition("/mockserver/")
        if owner == "OWNER":
            action = yaml.safe_load((ROOT / path / "action.yml").read_text(encoding="utf-8"))
            assert step["with"].keys() <= action["inputs"].keys()
            cli.build_parser().parse_args(["serve", *step["with"]["arguments"].split()])


@cases("block", *COMPOSE, ids=str)
def test_a_compose_file_fits_the_image(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    (service,) = yaml.safe_load(block.text)["services"].values()
    assert (ROOT / service["build"] / "Dockerfile").is_file()
    _check_variables(service["environment"], monkeypatch)
    assert service["ports"] == [f"127.0.0.1:{_instruction('EXPOSE')}:{_instruction('EXPOSE')}"]
    read_control_token(service["environment"][TOKEN_VARIABLE])
    for mount in service.get("volumes", ()):
        _check_mount(mount)
    if "command" in service:
        cli.build_parser().parse_args(service["command"])


def test_a_compose_file_waits_for_the_health_check_of_the_image() -> None:
    services = [service for block in COMPOSE for service in yaml.safe_load(block.text)["services"].values()]
    assert services
    assert not any("healthcheck" in service for service in services)
    assert _instruction("HEALTHCHECK").endswith('CMD ["mockserver", "healthcheck"]')


@cases("block", *PIPELINES, ids=str)
def test_a_service_of_a_pipeline_fits_the_image(block: Block, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its image, its port, variables that are options, and the keys and the address that the job is given."""
    (job,) = (yaml.safe_load(block.text).get("jobs") or yaml.safe_load(block.text)).values()
    services = job["services"]
    service = services["mockserver"] if isinstance(services, dict) else services[0]
    image = service.get("image") or service["name"]
    assert image.endswith(f"/mockserver:{__version__}")
    port = _instruction("EXPOSE")
    on_runner = service.get("ports") == [f"127.0.0.1:{port}:{port}"]
    assert on_runner or service["alias"] == "mockserver"
    _check_variables(service.get("env") or service["variables"], monkeypatch)
    given = job.get("env") or job["variables"]
    assert given["OPENFORT_BASE_URL"] == f"http://{'127.0.0.1' if on_runner else service['alias']}:{port}"
    assert ApiKey.parse(given["OPENFORT_SECRET_KEY"]).name == DEFAULT_PROJECT
    assert given[TOKEN_VARIABLE] == (service.get("env") or service["variables"])[TOKEN_VARIABLE]


def _check_variables(given: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether each is a variable of an option of `serve`, with a value that it takes."""
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    chosen = cli.build_parser().parse_args(["serve"])
    sources = {each.source for each in chosen.parser.choose(chosen).values()}
    assert set(given) <= sources


def _check_mount(mount: str) -> None:
    source, target, mode = mount.split(":")
    assert (ROOT / Path(source).name).is_dir()
    assert target == _instruction("WORKDIR")
    assert mode == "ro"


def _instruction(name: str) -> str:
    found: list[str] = re.findall(rf"^{name} (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    return found[-1]


def assert_part(part: Any, whole: Any, place: str) -> None:
    """Whether an answer has everything that a page shows of it; `…` stands for anything."""
    if part == "…":
        return
    if isinstance(part, dict):
        assert isinstance(whole, dict), place
        for name, member in part.items():
            assert name in whole, f"{place}.{name} is not in {whole}"
            assert_part(member, whole[name], f"{place}.{name}")
    elif isinstance(part, list):
        assert isinstance(whole, list)
        assert len(part) == len(whole), f"{place}: {whole}"
        for number, (member, found) in enumerate(zip(part, whole, strict=True)):
            assert_part(member, found, f"{place}[{number}]")
    else:
        assert part == whole, place
