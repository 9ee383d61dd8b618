"""Leading programs whose hosts are fixed to the nodes of this server: `exec --redirect-hosts`."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from mockserver.testing.environment import node_url
from mockserver.yaml_files import read_yaml_file

PRELOAD = Path(__file__).with_name("redirect.cjs")
_HOST = re.compile(r"[A-Za-z0-9.-]+(?::\d+)?")
_CLUSTER = re.compile(r"solana/(?:mainnet-beta|devnet|testnet|localnet)")

Places = Mapping[str, int | str]
"""By host: the id of a chain, or a Solana cluster such as `solana/devnet`."""


def read_hosts(file: Path) -> Places:
    """The hosts that a file leads elsewhere. A ValueError says what is wrong with it."""
    read = read_yaml_file(file)
    if not isinstance(read, dict) or not read:
        raise ValueError(f"{file}: is to map hosts to chains, such as `sepolia.base.org: 84532`")
    for host, place in read.items():
        if not isinstance(host, str) or not _HOST.fullmatch(host):
            raise ValueError(f"{file}: {host!r} is no host, such as sepolia.base.org")
        is_chain = isinstance(place, int) and not isinstance(place, bool) and place > 0
        if not is_chain and not (isinstance(place, str) and _CLUSTER.fullmatch(place)):
            raise ValueError(
                f"{file}: {host}: {place!r} is neither a chain id nor a cluster such as solana/devnet"
            )
    return read


def redirect(places: Places, clients: Mapping[str, str], inherited: Mapping[str, str]) -> dict[str, str]:
    """The variables by which Node leads requests to the hosts to the server of `clients`."""
    url, project = clients["MOCKSERVER_URL"], clients["OPENFORT_PUBLISHABLE_KEY"]
    targets = {host: node_url(url, project, place) for host, place in places.items()}
    options = f"{inherited.get('NODE_OPTIONS', '')} --require {json.dumps(str(PRELOAD))}".strip()
    return {"NODE_OPTIONS": options, "MOCKSERVER_REDIRECTED": json.dumps(targets)}
