"""Loading a scenario into a project, all of it or nothing."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from mockserver.api.call import Send
from mockserver.api.endpoint import Routes
from mockserver.domain.transactions import mining
from mockserver.domain.transactions.fate_options import FateSpec
from mockserver.domain.transactions.fates import set_fate
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.kernel.clock import Reading
from mockserver.kernel.table import Table
from mockserver.kernel.undo import Undo
from mockserver.scenario.checking.load import Scenario, read, read_part
from mockserver.scenario.grammar.project_setup import ClockSpec
from mockserver.scenario.grammar.schema import START, LoadedRule, Rule
from mockserver.scenario.grammar.then import put_in_order
from mockserver.scenario.reading.findings import Findings
from mockserver.scenario.reading.references import PROJECT, has_references, resolve
from mockserver.scenario.running.index import RuleIndex
from mockserver.scenario.running.steps import project_values, send_steps
from mockserver.state.api_keys import ApiKey
from mockserver.state.project import Project
from mockserver.state.requests import SCENARIOS, LoadedScenario, RuleState
from mockserver.state.saved.encoding import ScenarioRow
from mockserver.state.world import ProjectDefaults, World


def apply(world: World, project: Project, scenario: Scenario, send: Send) -> LoadedScenario:
    """Load a scenario into a project: its seed, clock, settings and keys, then its steps, fates and rules.

    `send` answers requests, as the pipeline does. The clock is frozen while the steps are sent,
    so that none of them waits in real time. Raises ScenarioError, and then everything is as it was before.
    """
    TIMER_LOOP.catch_up(project, world.real_ms)
    findings = Findings(scenario.source)
    _check(world, project, scenario, findings)
    findings.stop_if_any()
    before = project.clock.read()
    with _all_or_nothing(world, project, scenario):
        _set_up(world, project, scenario)
        captured = _send(project, scenario, send, findings)
        rules, fates = _resolve(scenario, captured, findings)
        findings.stop_if_any()
        clock = scenario.clock or before
        # It goes on, or stands still, from where the steps left it.
        project.clock.restore(Reading(project.clock.now_ms, clock.mode, clock.rate), world.real_ms)
        for fate in fates:
            set_fate(project, fate)
        named = {name: answer for name, answer in captured.items() if name != PROJECT}
        return _insert(project, scenario, rules, named)


def unload(project: Project, scenario_id: str) -> None:
    """Take a scenario's rules away; an unknown id is a KeyError. What it created and set stays."""
    _forget_rules(project, project.scenarios[scenario_id])
    project.scenarios.remove(scenario_id)
    if not len(project.scenarios):
        project.scenario_state = START
    project.undo.mark()


def replace_rules(project: Project, scenario_id: str, scenario: Scenario) -> None:
    """Put the rules of a scenario, which are counted anew, in the place of those of a loaded one.

    What else it says is not looked at. An unknown id is a KeyError, and what a rule refers to has to be
    captured: otherwise a ScenarioError.
    """
    before = project.scenarios[scenario_id]
    row = ScenarioRow(
        before.id, scenario.name, scenario.source, scenario.text, before.captured, project.clock.now_ms
    )
    after = compile_again(scenario.routes, project, row)
    _forget_rules(project, before)
    _count_rules(project, after)
    project.scenarios.replace(after)
    # As what a project begins with, it is no change of the next call.
    project.begin_history()


def _forget_rules(project: Project, loaded: LoadedScenario) -> None:
    for rule in loaded.rules:
        if rule.id in project.requests.rule_states:
            project.requests.rule_states.remove(rule.id)
        for table in (project.requests.fault_attempts, project.requests.rate_windows):
            for row in table.find("rule_id", rule.id):
                table.remove(row.id)


def _count_rules(project: Project, loaded: LoadedScenario) -> None:
    for rule in loaded.rules:
        project.requests.rule_states.insert(RuleState(rule.id))


# --- before anything is changed -------------------------------------------------------------------------


def _check(world: World, project: Project, scenario: Scenario, findings: Findings) -> None:
    """Note what this project cannot do."""
    _check_required(project, scenario, findings)
    empty = not (any(map(len, project.tables)) or project.snapshots)
    if scenario.seed is not None and not empty:
        message = "the project has drawn random values already; a seed is for one that is still empty"
        findings.add(scenario.place("seed"), message)
    clock = scenario.clock
    if clock and clock.at is not None and clock.at < project.clock.now_ms and not empty:
        message = (
            "time only goes forward, and the project's clock is past this; only an empty project goes back"
        )
        findings.add(scenario.place("clock"), message)
    for number, declared in enumerate(scenario.keys):
        key = declared.key
        if world.is_taken(key.text) and world.key(key.text).project is not _owner(world, project, key):
            findings.add(scenario.place("keys", number), "another project has this key")


def _check_required(project: Project, scenario: Scenario, findings: Findings) -> None:
    """Note what is required and not loaded."""
    loaded = [name for other in project.scenarios for name in (other.name, PurePath(other.source).name)]
    for number, name in enumerate(scenario.requires):
        if name not in loaded and PurePath(name).name not in loaded:
            findings.add_unknown(
                scenario.place("requires", number), "a scenario that is loaded", name, loaded
            )


def _owner(world: World, project: Project, key: ApiKey) -> Project | None:
    """The project of a key: this one or the same tenant in the key's mode; None when that is not open."""
    if key.livemode == project.livemode:
        return project
    own = ApiKey("sk", key.livemode, project.name).text
    return world.key(own).project if world.is_taken(own) else None


# --- taking it back ---------------------------------------------------------------------------------------


@contextmanager
def _all_or_nothing(world: World, project: Project, scenario: Scenario) -> Iterator[None]:
    """Put the project and the world's keys back if anything is raised."""
    state = project.snapshot()
    texts = [declared.key.text for declared in scenario.keys]
    keys = {text: world.key(text) for text in texts if world.is_taken(text)}
    projects = {other.id for other in world}
    try:
        yield
    except BaseException:
        project.restore(state, world.real_ms)
        for other in world:
            if other.id not in projects:
                world.delete(other)
        for text in texts:
            former = keys.get(text)
            if former is not None:
                world.declare(former.project, text, former.kind, former.scopes)
            elif world.is_taken(text):
                world.withdraw(text)
        raise


# --- setting the project up ------------------------------------------------------------------------------


def _set_up(world: World, project: Project, scenario: Scenario) -> None:
    if scenario.seed is not None:
        project.reseed(scenario.seed)
    mining.change_settings(project, replace(project.settings, **scenario.settings))
    if scenario.clock is not None and scenario.clock.at is not None:
        at_ms = scenario.clock.at
        if at_ms >= project.clock.now_ms:
            TIMER_LOOP.advance(project, at_ms)
        project.clock.restore(Reading(at_ms, project.clock.mode, project.clock.rate), world.real_ms)
    for declared in scenario.keys:
        key = declared.key
        owner = _owner(world, project, key) or _open_sibling(world, project, scenario.clock)
        world.declare(owner, key.text, key.kind, frozenset(declared.scopes))


def _open_sibling(world: World, project: Project, clock: ClockSpec | None) -> Project:
    """The same tenant in the other mode, with the same settings and time."""
    now_ms, mode, rate = project.clock.read()
    if clock is not None:
        mode, rate = clock.mode, clock.rate
    defaults = ProjectDefaults(now_ms=now_ms, mode=mode, rate=rate, settings=project.settings)
    return world.create(name=project.name, livemode=not project.livemode, defaults=defaults)


def _send(project: Project, scenario: Scenario, send: Send, findings: Findings) -> dict[str, Any]:
    """Send the steps, and have the plain API answer them: no rule of another scenario touches them.

    They are no events: the history is about what the project's clients did, and what they change is a part
    of what loading the scenario changes.
    """
    standing = project.scenarios.snapshot()
    project.scenarios.restore(Table(Undo(), SCENARIOS).snapshot())
    project.clock.freeze()
    try:
        return send_steps(scenario.calls, project, send, findings)
    finally:
        project.scenarios.restore(standing)


def _resolve(
    scenario: Scenario, captured: Mapping[str, Any], findings: Findings
) -> tuple[tuple[Rule, ...], tuple[FateSpec, ...]]:
    """The rules and fates with the captured answers put in."""
    found: dict[str, Any] = {"rules": scenario.rules, "fates": scenario.fates}
    for name in found:
        node = scenario.root.value.get(name)
        if node is not None and any(has_references(scalar.value) for scalar in node.scalars()):
            tree = resolve(node, captured, findings)
            found[name] = read_part(name, tree, scenario.routes, findings, is_resolved=True)
    return found["rules"], found["fates"]


def _insert(
    project: Project, scenario: Scenario, rules: tuple[Rule, ...], captured: Mapping[str, Any]
) -> LoadedScenario:
    row_id, now_ms = project.new_id("scn"), project.clock.now_ms
    row = ScenarioRow(row_id, scenario.name, scenario.source, scenario.text, captured, now_ms)
    loaded = _compile(row, rules)
    _count_rules(project, loaded)
    project.scenarios.insert(loaded)
    project.undo.mark()
    return loaded


def _compile(row: ScenarioRow, rules: tuple[Rule, ...]) -> LoadedScenario:
    named = tuple(
        LoadedRule(
            f"{row.id}/{number}",
            rule.name or f"{row.name} #{number}",
            rule.when,
            put_in_order(rule.then),
            f"draw/{row.name}#{number}",
            row.loaded_ms,
            rule.optional,
        )
        for number, rule in enumerate(rules, 1)
    )
    return LoadedScenario(*row, rules=named, index=RuleIndex(named))


def compile_again(routes: Routes, project: Project, row: ScenarioRow) -> LoadedScenario:
    """A loaded scenario from its text and what it captured; ScenarioError when its text is not valid."""
    scenario = read(row.text, row.source, routes)
    findings = Findings(row.source)
    rules, _ = _resolve(scenario, {**row.captured, **project_values(project)}, findings)
    findings.stop_if_any()
    return _compile(row, rules)
