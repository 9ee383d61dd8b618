"""How much the tests draw that could draw more: a sample, or MOCKSERVER_THOROUGHNESS times as much."""

import os

THOROUGHNESS = int(os.environ.get("MOCKSERVER_THOROUGHNESS", "1"))
