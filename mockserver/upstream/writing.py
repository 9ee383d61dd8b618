"""The recording of a real service: masked, and in the place of an older one only once it is whole."""

from pathlib import Path

from mockserver.api.call import Request
from mockserver.launch.streams import complain
from mockserver.server.answering.render import Response
from mockserver.server.assembly import assemble
from mockserver.server.edge.ticker import Ticker
from mockserver.server.recording.file import RecordingFile, find_replaceable, replace_file
from mockserver.server.recording.lines import encode_answer, encode_headers, encode_request
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.opening import opening_lines
from mockserver.server.recording.search import Search
from mockserver.state.world import World

_PART = ".part"
_STAND_IN = "live-key"


class UpstreamRecording:
    """Takes exchanges with a real service, in the order in which they end. OSError from the constructor."""

    def __init__(self, path: Path) -> None:
        self._path = find_replaceable(path)
        self._part = self._path.with_name(self._path.name + _PART)
        self._file = RecordingFile(self._part, lambda message: complain(message.rstrip()))
        # The routes of a server tell what is secret.
        pipeline = assemble(World()).pipeline
        self._mask = Mask(pipeline, is_upstream=True)
        self.read_ms = Ticker().real_ms
        """Reads the real time."""
        self.exchanges = 0
        for line in opening_lines(pipeline, self.read_ms(), self._mask, (), source="upstream"):
            self._file.write(line)

    def add(self, request: Request, began_ms: int, answer: Response) -> None:
        """Write an exchange down, without what is secret on either side."""
        self.exchanges += 1
        shown = self._mask.hide_request(request)
        line = {
            "n": self.exchanges,
            "request": encode_request(shown, encode_headers(shown.raw_headers)),
            "real_ms": began_ms,
            "answer": self._mask.learn_answer(request, encode_answer(answer)),
        }
        self._file.write(self._mask.hide_line(line))

    def close(self, *, keep: bool = True) -> bool:
        """End the recording, and replace the older one; whether it did. Else that one stays."""
        self._file.write({"end": {"n": self.exchanges, "digests": {}}})
        # What was learnt to be secret after it was written.
        self._file.withhold(self._mask.has_secret)
        is_whole = keep and self._file.failure is None
        self._file.close()
        if not is_whole:
            self._part.unlink(missing_ok=True)
            return False
        problem = replace_file(self._part, self._path)
        if problem is not None:
            complain(problem)
        return problem is None


def has_live_key(request: Request) -> bool:
    """Whether a key of the live mode is anywhere in a request, however it is encoded."""
    search = Search(lambda _: _STAND_IN, is_bounded=False)
    headers = (value for _, value in request.raw_headers)
    return any(map(search.finds, (request.path.encode(), request.query.encode(), *headers, request.body)))
