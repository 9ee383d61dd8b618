"""Answers paths that the mock does not have, from a recording of the real service."""

import re
from typing import BinaryIO

from mockserver.api.call import Request
from mockserver.leniencies import ANSWERED_FROM_RECORDING, Leniency
from mockserver.replay.serving.matching import Form, Matching, find_nearest, form_of
from mockserver.replay.serving.playback import PlayedExchange, read_exchanges
from mockserver.replay.steps import decode_bytes
from mockserver.server.answering.render import Response
from mockserver.server.recording.reading import Lines

_ID = re.compile(r".*[0-9].*|.{24,}")
"""A segment of a path that stands for a row: `v2` is none, as it begins a path."""


class MissingAnswers:
    """The answers of a recording, for requests of which the mock knows nothing.

    Equal requests get theirs in the order of the recording, and then the last one again. Another request gets
    the answer of the nearest one with its method and a path of its shape, in which only ids differ.
    """

    def __init__(self, file: BinaryIO) -> None:
        """BadRecording for a file that cannot be read."""
        self._coming: dict[bytes, list[PlayedExchange]] = {}
        self._alike: dict[str, list[PlayedExchange]] = {}
        for each in read_exchanges(Lines(file), Matching()):
            if each.answer.sent is None:
                self._coming.setdefault(each.form.key, []).append(each)
                self._alike.setdefault(_shape(each.form), []).append(each)

    def answer(self, request: Request) -> tuple[Response, Leniency] | None:
        """The answer of the recorded request that is nearest, and a hint; None where none has its shape."""
        form = form_of(request)
        coming = self._coming.get(form.key)
        if coming:
            found, differing = coming[0], ""
            # The last one stays, for more requests like it.
            del coming[: len(coming) > 1]
        else:
            alike = self._alike.get(_shape(form), [])
            nearest = find_nearest(form, ((each.number, each.form) for each in alike))
            if nearest is None:
                return None
            number, differences = nearest
            found = next(each for each in alike if each.number == number)
            parts = ", ".join(each.part for each in differences[:5])
            differing = f", the nearest: it differs in {parts.encode('ascii', 'replace').decode()}"
        hint = ANSWERED_FROM_RECORDING.fill(number=str(found.number), differing=differing)
        answer = found.answer
        return Response(answer.status, tuple(found.headers), decode_bytes(answer.body)), hint


def _shape(form: Form) -> str:
    """Method and path, with `*` for ids."""
    start, *others = re.split(r"(?<=.)/", form.path)
    segments = (start, *("*" if _ID.fullmatch(each) else each for each in others))
    return f"{form.method} {'/'.join(segments)}"
