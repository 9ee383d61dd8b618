"""Leaving out as much as can be left out: delta debugging (Zeller and Hildebrandt, ddmin)."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def minimize(items: Sequence[T], holds: Callable[[list[T]], bool]) -> list[T]:
    """A part of the items, in their order, that still holds, and from which no single one can be left out.

    All of them hold. Larger pieces are tried first, and later ones before earlier ones: what depends on
    another item comes after it.
    """
    kept = list(items)
    size = max(1, len(kept) // 2)
    while True:
        before = len(kept)
        end = len(kept)
        while end > 0:
            start = max(0, end - size)
            fewer = kept[:start] + kept[end:]
            if holds(fewer):
                kept = fewer
            end = start
        if size > 1:
            size //= 2
        elif len(kept) == before:
            return kept
