"""Random operations beside the official entry points: `python -m tests.entry_points --operations 2000`."""

import argparse
import sys

from mockserver.chain.user_operations import ENTRY_POINTS
from tests.entry_points.operations import find_difference

_AT_ONCE = 250
"""How many operations two projects get before others take their place."""

parser = argparse.ArgumentParser(prog="python -m tests.entry_points")
parser.add_argument("--operations", type=int, default=2000, help="how many of each entry point")
parser.add_argument("--seed", type=int, default=0)
options = parser.parse_args()
for number in range(0, options.operations, _AT_ONCE):
    for version in ENTRY_POINTS:
        found = find_difference(version, options.seed + number, min(_AT_ONCE, options.operations - number))
        if found:
            sys.exit(found)
print(f"{options.operations} operations of each entry point came out alike")
