"""What the pytest plugin costs a run that does not use it, and one test that makes a call, in processor time.

python -m bench.plugin
"""

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.servers import mock_server

_RUNS = 15
_TESTS = {
    "test_nothing.py": "def test_nothing(): pass\n",
    "test_a_call.py": "def test_a_call(mock_api): assert mock_api.get('/v1/contracts').is_success\n",
}


def _run(directory: str, *arguments: str) -> float:
    """The milliseconds of processor time that one run of pytest takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Run pytest without the plugin, with it and with a call, in turn, and print the medians."""
    with tempfile.TemporaryDirectory() as directory, mock_server() as server:
        for name, text in _TESTS.items():
            Path(directory, name).write_text(text)
        running = ("--mockserver-url", f"http://127.0.0.1:{server.port}")
        runs = {
            "without the plugin": ("test_nothing.py", "-p", "no:mockserver"),
            "with it": ("test_nothing.py",),
            "a call of its own server": ("test_a_call.py",),
            "a call of one that runs": ("test_a_call.py", *running),
        }
        took: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(_RUNS):
            for name, arguments in runs.items():
                took[name].append(_run(directory, *arguments))
    first = statistics.median(took["without the plugin"])
    for name, each in took.items():
        print(f"{name:<26}{statistics.median(each):6.0f} ms {statistics.median(each) - first:+7.0f} ms")


if __name__ == "__main__":
    main()
