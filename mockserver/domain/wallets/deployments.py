"""What is deployed at the addresses of accounts, and which of several implementations is in use."""

from mockserver.domain.chains import ledger
from mockserver.state.chains import ChainAccount
from mockserver.state.project import Project
from mockserver.state.wallets import Account, SmartAccount, key_id


def update_deployments(project: Project, chain_id: int, address: str) -> None:
    """Copy the deployment of an address on a chain to its accounts there, and which of them is in use.

    An externally owned account has an account for each implementation that it can delegate to. The one
    that it delegates to is in use (EIP-7702); before its first delegation that is the newest.
    """
    known = ledger.chain_account(project, chain_id, address)
    accounts = project.wallets.accounts
    rows = [row for row in accounts.find("address", key_id(address, "EVM")) if row.chain_id == chain_id]
    contracts = [row for row in rows if row.smart_account is not None]
    for row in contracts:
        updated = _copy_deployment(known, row, newest=row is contracts[-1])
        if updated != row:
            accounts.replace(updated._replace(updated_ms=project.clock.now_ms))


def _copy_deployment(known: ChainAccount, account: Account, *, newest: bool) -> Account:
    contract = account.smart_account
    assert contract is not None
    if contract.factory_address is not None:
        return account._replace(smart_account=_deployed_by(known, contract) if known.deployed else contract)
    delegated = known.delegate == contract.implementation_address
    active = delegated or (newest and known.delegate is None)
    # An implementation that was replaced keeps the transaction that delegated to it.
    contract = _deployed_by(known, contract) if delegated else contract
    return account._replace(smart_account=contract._replace(active=active))


def _deployed_by(known: ChainAccount, contract: SmartAccount) -> SmartAccount:
    return contract._replace(deployed_tx=known.deployed_tx, deployed_ms=known.deployed_ms)
