"""What tests do to a Solana cluster beside transactions, by the names that Surfpool has for it."""

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from mockserver.chain.solana.running import LOADER, rent_exempt
from mockserver.nodes.envelope import invalid
from mockserver.nodes.solana.accounts import Pubkey
from mockserver.nodes.solana.cluster import Cluster, SolanaMethods

methods = SolanaMethods()


class AccountUpdate(TypedDict, total=False):
    """What an account is to have; the rest stays."""

    lamports: Annotated[int, Field(ge=0, lt=2**64)]
    data: str
    """In hexadecimal."""
    owner: Pubkey
    executable: bool
    """Whether it is a program, whose code `data` is."""
    rentEpoch: int


@methods.method("surfnet_setAccount", is_control=True)
def set_account(cluster: Cluster, address: Pubkey, update: AccountUpdate) -> dict[str, Any]:
    """Set an account, or deploy a program: its lamports, its data and its owner."""
    state = cluster.state_of(address)
    try:
        data = bytes.fromhex(update["data"].removeprefix("0x")) if "data" in update else state.data
    except ValueError:
        raise invalid("invalid argument 1: data: must be hexadecimal digits") from None
    owner = update.get("owner", LOADER if update.get("executable") else state.owner)
    lamports = update.get("lamports", state.lamports or rent_exempt(len(data)))
    cluster.keep([(address, state._replace(lamports=lamports, owner=owner, data=data))])
    return cluster.in_context(None)
