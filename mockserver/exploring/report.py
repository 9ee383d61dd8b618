"""What exploring comes to: lines for a terminal, and files: a report, and a scenario for each finding."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from mockserver.exploring.judging import EXPLAINED, FINDINGS, VERDICTS, Judgement
from mockserver.exploring.plan import OF_WEBHOOKS, Trial, paths_of, trial_id
from mockserver.responses.pages import table_page

_ADVICE = {
    "paid twice": "send an idempotency key that is the same for each attempt",
    "made twice": "send an idempotency key that is the same for each attempt, or look whether it is there",
    "left pending": "wait until it is settled, and say so when it is not in time",
    "kept": "check that signing out succeeded, and try it again",
    "left behind": "check the answer of what removes it",
    "unverified": "compare the signature with that of the bytes that came, and answer 4xx to another",
    "lost": "check the status of the answer before you go on",
    "hung": "bound the attempts and their time",
    "crashed": "catch it where the call is made, and answer with an error of your own; a test that raises it"
    " itself asserts the status first",
}
_OF_WEBHOOKS = "work a webhook off once, by its type and `data.id`, and ask for the state that it tells"
_SHOWN = 20


class Result(NamedTuple):
    """What a trial has shown."""

    trial: Trial
    judgement: Judgement
    recording: str | None = None
    """The name of its recording."""
    is_stable: bool = True
    """Whether a second run has shown the same."""

    @property
    def advice(self) -> str:
        """What to do about a finding."""
        verdict, reasons = self.judgement
        text = " ".join(reasons) if verdict == "missed" else verdict
        if verdict == "missed" and self.trial.path in OF_WEBHOOKS and "unverified" not in text:
            return _OF_WEBHOOKS
        return next((advice for word, advice in _ADVICE.items() if word in text), "")


def find(results: Sequence[Result]) -> list[list[Result]]:
    """The findings, the most harmful and then the most likely first.

    Each is a result, and others of the same test and operation that show the same.
    """
    found = [each for each in results if each.judgement.verdict in FINDINGS]
    found.sort(key=_harm)
    alike: dict[tuple[object, ...], list[Result]] = {}
    for each in found:
        alike.setdefault((each.trial.test, each.trial.operation, each.judgement, each.is_stable), []).append(
            each
        )
    return [*alike.values()]


def lines_of(results: Sequence[Result], untried: int, folder: Path | None = None) -> list[str]:
    """What a terminal shows."""
    counts = Counter(each.judgement.verdict for each in results)
    reached = len(results) - counts["not reached"]
    good = counts["noticed"] + counts["survived"]
    lines = [f"your client survives {good} of {reached} failures"]
    more = [f"{count} {name}" for name in VERDICTS if (count := counts[name])]
    lines += [", ".join(more)] if more else []
    found = find(results)
    for number, alike in enumerate(found[:_SHOWN], 1):
        lines += ["", *_lines_of_finding(number, *alike)]
        if folder is not None:
            lines.append(f"   pytest --mockserver-explore-check {_shown(folder / _scenario_name(number))}")
    lines += [f"and {len(found) - _SHOWN} more, in the report"] if len(found) > _SHOWN else []
    lines += [f"{untried} more were not tried: give it more time"] if untried else []
    return lines


def _lines_of_finding(number: int, result: Result, *others: Result) -> Iterator[str]:
    trial = result.trial
    yield f"{number}. {result.judgement.verdict}: {trial.path.title} ({trial.operation} {trial.place})"
    yield f"   {trial.test}"
    yield from (f"   {reason}" for reason in result.judgement.reasons)
    if others:
        yield f"   the same with {', '.join(dict.fromkeys(each.trial.path.id for each in others))}"
    if result.advice:
        yield f"   {result.advice}"
    if not result.is_stable:
        yield "   another run has shown something else"


def open_folder(folder: Path) -> None:
    """Make the folder of the report, before the trials. OSError if nothing can be written there."""
    folder.mkdir(parents=True, exist_ok=True)
    TemporaryFile(dir=folder).close()


def write_report(folder: Path, results: Sequence[Result], untried: int, command: Sequence[str] = ()) -> None:
    """Write `report.json`, `report.html`, and a scenario for each finding, in place of earlier ones."""
    for old in (*folder.glob("finding-*.yaml"), *folder.glob("finding-*.jsonl")):
        old.unlink()
    shown: list[dict[str, Any]] = []
    for number, (each, *others) in enumerate(find(results), 1):
        file = folder / _scenario_name(number)
        recording = None if each.recording is None else folder / each.recording
        if recording is not None and recording.exists():
            recording = recording.rename(file.with_suffix(".jsonl"))
        file.write_text(_finding_text(each), encoding="utf-8")
        names = {"scenario": file.name, "recording": recording and recording.name}
        also = [f"{other.trial.operation} {other.trial.place} / {other.trial.path.id}" for other in others]
        shown.append({**names, **_shown_result(each), "also": also})
    counts = Counter(each.judgement.verdict for each in results)
    report = {
        "command": [*command],
        "results": {name: counts[name] for name in VERDICTS},
        "untried": untried,
        "findings": shown,
        "tried": [_shown_result(each) for each in sorted(results, key=lambda each: each.trial.id)],
    }
    (folder / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for left in folder.glob("[0-9]*.jsonl"):
        left.unlink()
    (folder / "report.html").write_text(_page(results, untried), encoding="utf-8")


def read_known(folder: Path, command: Sequence[str] = ()) -> Mapping[str, Judgement]:
    """What an earlier report about a command has shown to be survived or noticed, by the ids of trials."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        good = [each for each in report["tried"] if each["verdict"] in ("noticed", "survived")]
        if report["command"] == [*command]:
            return {
                trial_id(each["test"], each["operation"], each["place"], each["failure"]): Judgement(
                    each["verdict"]
                )
                for each in good
            }
    return {}


def trial_of(file: Path) -> Trial:
    """The trial of a finding's file. ValueError for another file, OSError for none."""
    text = file.read_text(encoding="utf-8")
    pairs = (line[2:].partition(": ") for line in text.splitlines() if line.startswith("# "))
    told = {name: value for name, _, value in pairs}
    try:
        operation, place, path_id = told["operation"], int(told["place"]), told["failure"]
        paths = {path.id: path for path in paths_of(operation)}
        return Trial(told["test"], operation, place, paths[path_id], [*paths].index(path_id))
    except (KeyError, ValueError):
        raise ValueError(f"{file} is not the file of a finding, such as finding-0001.yaml") from None


def _finding_text(result: Result) -> str:
    verdict, reasons = result.judgement
    head = {
        **_shown_result(result),
        "verdict": f"{verdict}: {EXPLAINED[verdict]}",
        "reasons": "; ".join(reasons),
    }
    del head["stable"]
    return "".join(f"# {name}: {value}\n" for name, value in head.items()) + result.trial.scenario


def _shown_result(result: Result) -> dict[str, Any]:
    trial, judgement = result.trial, result.judgement
    return {
        "test": trial.test,
        "operation": trial.operation,
        "place": trial.place,
        "failure": trial.path.id,
        "verdict": judgement.verdict,
        "reasons": list(judgement.reasons),
        "advice": result.advice,
        "stable": result.is_stable,
    }


def _page(results: Sequence[Result], untried: int) -> str:
    heading, *_ = lines_of(results, untried)
    heads = "Verdict", "Failure", "Call", "Test", "Why", "What to do"
    return table_page("mockserver explore", heading, heads, map(_cells, sorted(results, key=_harm)))


def _harm(result: Result) -> tuple[int, int, str]:
    return VERDICTS.index(result.judgement.verdict), result.trial.rank, result.trial.id


def _cells(result: Result) -> tuple[str, ...]:
    trial, judgement = result.trial, result.judgement
    return (
        judgement.verdict,
        trial.path.title,
        f"{trial.operation} {trial.place}",
        trial.test,
        "; ".join(judgement.reasons),
        result.advice,
    )


def _scenario_name(number: int) -> str:
    return f"finding-{number:04}.yaml"


def _shown(file: Path) -> Path:
    return file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
