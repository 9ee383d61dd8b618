"""What the pytest plugin costs a run that does not use it, in processor time.

python -m bench.plugin
"""

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

_RUNS = 15


def _run(directory: str, *arguments: str) -> float:
    """The seconds of processor time that one run of pytest takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run pytest with and without the plugin in turn, and print the difference of the medians."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "test_nothing.py").write_text("def test_nothing(): pass\n")
        _run(directory)
        without, plugin = [], []
        for _ in range(_RUNS):
            without.append(_run(directory, "-p", "no:mockserver"))
            plugin.append(_run(directory))
    added_ms = (statistics.median(plugin) - statistics.median(without)) * 1000
    print(f"without the plugin {statistics.median(without) * 1000:.0f} ms, with it {added_ms:+.1f} ms")


if __name__ == "__main__":
    main()
