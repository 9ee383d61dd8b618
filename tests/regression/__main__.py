"""Record the answers of a server, or compare a server's answers with a recording.

python -m tests.regression record FILE
python -m tests.regression compare FILE
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from tests.regression.comparison import compare
from tests.regression.document import Document
from tests.regression.exchanges import Exchange, read, write
from tests.regression.server import started
from tests.regression.story import Story
from tests.regression.whole_story import tell

SHOWN = 10


def main() -> int:
    """Run a command; 1 if there are differences."""
    parser = argparse.ArgumentParser(prog="python -m tests.regression", description=__doc__)
    parser.add_argument("command", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--checkout", type=Path, default=Path(), help="whose server it is (this one's)")
    parser.add_argument("--python", default=sys.executable, help="what runs the server (this one)")
    parser.add_argument("--control", action="store_true", help="compare the control API's answers as well")
    given = parser.parse_args()
    if given.command == "record":
        return record(given.file, given.python, given.checkout)
    return check(given.file, given.python, given.checkout, given.control)


def record(file: Path, python: str, checkout: Path) -> int:
    """Tell the story to a server and write it down."""
    with started(python, checkout) as server:
        story = Story(server.send)
        tell(story)
    write(file, story.exchanges)
    print(coverage(story.document, story.exchanges))
    return 0


def coverage(document: Document, exchanges: list[Exchange]) -> str:
    """How many calls there were, and which operations never succeeded."""
    calls = Counter(each.operation for each in exchanges)
    good = Counter(each.operation for each in exchanges if each.answer.succeeded)
    failing = [operation for operation in document.operations if not good[operation.id]]
    rare = [operation.id for operation in document.operations if calls[operation.id] < 3]
    lines = [f"{len(exchanges)} exchanges, {sum(good.values())} of them successful calls of the public API"]
    lines += [f"called less than three times: {', '.join(rare) or 'none'}"]
    lines += [f"{len(failing)} of {len(document.operations)} operations were never successful"]
    lines += [f"  {each.id:40} {each.method:6} {each.path}  ({calls[each.id]} calls)" for each in failing]
    return "\n".join(lines)


def check(file: Path, python: str, checkout: Path, control: bool) -> int:
    """Compare a server's answers with a recording, and print the first differences."""
    with started(python, checkout) as server:
        comparison = compare(read(file), server.send, control=control)
    for difference in comparison.differences[:SHOWN]:
        print(difference)
    for operation, count in comparison.operations.most_common():
        print(f"{count:6} {operation}")
    print(f"{comparison.compared} answers compared, {len(comparison.differences)} differ")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
