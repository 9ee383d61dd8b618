"""The picture of the layers, drawn from the contracts of the import linter."""

import tomllib
from html import escape
from pathlib import Path
from typing import Any

_PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
_WIDTH = 880
_BOX = 30
_GAP = 10
_MARGIN = 16
_LETTER = 7.6
_STYLE = """\
  text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #1b2330 }
  .title { font: 600 14px system-ui, sans-serif }
  .layer { fill: #eef2f7; stroke: #b8c4d4 }
  .module { fill: #ffffff; stroke: #5b7083 }"""


def architecture_picture() -> str:
    """An SVG: a band for each layer of the package, the highest at the top; below, the layers of `domain`."""
    upper, y = _bands("Imports go down only", layers_of("mockserver"), _MARGIN)
    lower, height = _bands("The layers of domain", layers_of("mockserver.domain"), y + _MARGIN)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<!-- Written by `python docs/generate.py`. Do not edit. -->",
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'aria-label="The layers of the package: each imports from those below it only">',
        f"<style>\n{_STYLE}\n</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        *upper,
        *lower,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def layers_of(package: str) -> list[list[str]]:
    """The layers of a package by its import contract, the highest first, each with its modules."""
    tool: dict[str, Any] = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["tool"]
    (layers,) = [
        contract["layers"]
        for contract in tool["importlinter"]["contracts"]
        if contract["type"] == "layers" and contract["containers"] == [package]
    ]
    # Modules of one layer are parted by `:` where they may import each other, and by `|` where they may not.
    return [[name.strip() for name in layer.replace("|", ":").split(":")] for layer in layers]


def _bands(title: str, layers: list[list[str]], y: int) -> tuple[list[str], int]:
    """The bands of layers below a title, and where the next thing begins."""
    lines = [f'<text class="title" x="{_MARGIN}" y="{y + 14}">{escape(title)}</text>']
    y += 26
    for layer in layers:
        rows = _rows(layer)
        height = len(rows) * (_BOX + _GAP) + _GAP
        place = f'x="{_MARGIN}" y="{y}" width="{_WIDTH - 2 * _MARGIN}" height="{height}"'
        lines.append(f'<rect class="layer" {place} rx="6"/>')
        for number, row in enumerate(rows):
            lines += _boxes(row, y + _GAP + number * (_BOX + _GAP))
        y += height + _GAP
    return lines, y + _MARGIN - _GAP


def _rows(names: list[str]) -> list[list[str]]:
    """Names in rows that fit into a band."""
    rows: list[list[str]] = [[]]
    for name in names:
        if sum(_box_width(other) + _GAP for other in [*rows[-1], name]) > _WIDTH - 2 * _MARGIN - _GAP:
            rows.append([])
        rows[-1].append(name)
    return rows


def _boxes(names: list[str], y: int) -> list[str]:
    lines = []
    x = (_WIDTH - sum(map(_box_width, names)) - _GAP * (len(names) - 1)) // 2
    for name in names:
        width = _box_width(name)
        lines += [
            f'<rect class="module" x="{x}" y="{y}" width="{width}" height="{_BOX}" rx="4"/>',
            f'<text x="{x + width / 2:g}" y="{y + 20}" text-anchor="middle">{escape(name)}</text>',
        ]
        x += width + _GAP
    return lines


def _box_width(name: str) -> int:
    return round(len(name) * _LETTER) + 20
