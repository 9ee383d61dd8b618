"""The chains that a project may use."""

from mockserver import errors
from mockserver.chain.networks import NETWORKS
from mockserver.errors import ApiError
from mockserver.state.project import Project
from mockserver.state.wallets import ChainType

CHAIN_ERRORS = (errors.CHAIN_UNKNOWN, errors.CHAIN_OF_OTHER_MODE)
"""The errors of `require_chain`, for the declarations of its endpoints."""

_BASE = 8453
_BASE_SEPOLIA = 84532


def require_chain(project: Project, chain_id: int, param: str = "chainId") -> int:
    """The chain id, if the project may use it.

    Test keys work on testnets and live keys on mainnets; ApiError with 400 for a known chain of the
    other kind. An unknown chain is accepted unless the project's settings say otherwise.
    """
    network = NETWORKS.get(chain_id)
    if network is None:
        if project.settings.unknown_chains == "refuse":
            raise ApiError(errors.CHAIN_UNKNOWN, param=param, chain_id=chain_id)
        return chain_id
    if network.testnet == project.livemode:
        raise ApiError(
            errors.CHAIN_OF_OTHER_MODE,
            param=param,
            name=network.name,
            chain_id=chain_id,
            kind="testnet" if network.testnet else "mainnet",
            mode=project.mode,
            wanted="mainnet" if project.livemode else "testnet",
        )
    return chain_id


def default_chain(project: Project) -> int:
    """The chain of smart and delegated accounts that are created without one: a setting, or Base."""
    if project.settings.default_chain_id is not None:
        return project.settings.default_chain_id
    return _BASE if project.livemode else _BASE_SEPOLIA


def require_account_chain(
    project: Project, chain_type: ChainType, chain_id: int | None, param: str = "chainId"
) -> None:
    """ApiError with 400 for a chain that the project may not use for an account of this type.

    Solana has no chain ids in the sense of EIP-155: any id that is not an EVM chain's is accepted.
    """
    if chain_id is not None and (chain_type == "EVM" or chain_id in NETWORKS):
        require_chain(project, chain_id, param)
