"""The projects that the tests of this folder use."""

from tests.live import mock as mock
from tests.live import server as server
