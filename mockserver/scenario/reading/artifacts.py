"""Compiled contracts that a scenario names by their files, put into its text.

So the text is whole: it is sent to servers elsewhere, kept in recordings, and read again without the files.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mockserver.chain.artifacts import Artifact, read_artifact, read_document
from mockserver.kernel.spelling import nearest
from mockserver.scenario.reading.compose import parse
from mockserver.scenario.reading.findings import Findings, ScenarioError
from mockserver.scenario.reading.tree import ABSENT, Node, entries_of, member_of, members_of

MOST_BYTES = 32 * 1024 * 1024
_SCALAR = re.compile(r""""[^"\\]*"|'[^']*'|[^\s,}\]#]+""")


def include_artifacts(text: str, file: Path) -> str:
    """The text of a scenario file with artifacts in the places of their paths, which are relative to it.

    ScenarioError for a file that is none, or does not have the contract.
    """
    if "artifact" not in text:
        return text
    findings = Findings(str(file))
    try:
        bodies = list(_bodies_with_paths(parse(text, findings)))
    except ScenarioError:
        # What is wrong with the text is said when it is read as a scenario.
        return text
    lines = text.split("\n")
    for body in reversed(bodies):
        node = body.value["artifact"]
        artifact = _read(body, file, findings)
        line, start = node.place.line - 1, node.place.column - 1
        written = _SCALAR.match(lines[line], start)
        if artifact is not None and written is not None:
            lines[line] = lines[line][:start] + _write(artifact) + lines[line][written.end() :]
    findings.stop_if_any()
    return "\n".join(lines)


def _bodies_with_paths(root: Node) -> Iterator[Node]:
    given = member_of(root.value, "given")
    for step in entries_of(given) if given is not ABSENT else ():
        body = member_of(step.value, "body")
        artifact = member_of(body.value, "artifact") if body is not ABSENT else ABSENT
        if artifact is not ABSENT and isinstance(artifact.value, str):
            yield body


def _read(body: Node, file: Path, findings: Findings) -> Artifact | None:
    node, contract = body.value["artifact"], member_of(body.value, "contract")
    path = file.parent / node.text
    if not path.is_file():
        beside = [each.name for each in path.parent.glob("*.json")] if path.parent.is_dir() else []
        findings.add(node.place, f"there is no file {node.text}", nearest(path.name, beside))
        return None
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"the file is longer than {MOST_BYTES:,} bytes")
        document = read_document(path)
        name = None if contract is ABSENT else contract.text
        artifact = read_artifact(document, name, _libraries(body))
        return artifact._replace(name=artifact.name or path.stem)
    except ValueError as error:
        findings.add(node.place, f"{node.text} is no compiled contract: {error}")
        return None


def _libraries(body: Node) -> dict[str, str]:
    libraries = member_of(body.value, "libraries")
    return {} if libraries is ABSENT else {name: each.text for name, each in members_of(libraries).items()}


def _write(artifact: Artifact) -> str:
    # JSON is YAML, and on one line it moves no finding from its place.
    contract: dict[str, Any] = {"contractName": artifact.name, "abi": artifact.abi}
    contract["bytecode"] = "0x" + artifact.creation_code.hex()
    source = artifact.source
    if source is not None:
        settings = {"compilationTarget": {source.path: artifact.name}, "optimizer": {"enabled": False}}
        contract |= {"metadata": {"settings": settings}, "source": source.text, "id": source.file}
        contract["deployedBytecode"] = {"object": source.code, "sourceMap": source.source_map}
    return json.dumps(contract)
