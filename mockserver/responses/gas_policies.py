"""Gas policies and their rules: fee sponsorships in the older API (specification, Older endpoints)."""

from collections.abc import Collection
from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.responses.contracts import ContractAnswer, contract_answer
from mockserver.responses.players import latest_intents
from mockserver.responses.shapes import ABSENT, Reference, optional, present
from mockserver.state.guardrails import FeeSponsorship, GasRule, IntervalType, Strategy
from mockserver.state.project import Project


class GasStrategyAnswer(TypedDict):
    """The strategy of a gas policy, with the first accepted token only."""

    sponsorSchema: str
    tokenContract: NotRequired[str]
    tokenContractAmount: NotRequired[str]
    depositor: NotRequired[str]


class GasPolicyFields(TypedDict):
    """A gas policy without related objects."""

    id: str
    object: Literal["policy"]
    createdAt: int
    name: str | None
    deleted: bool
    enabled: bool
    chainId: int
    strategy: GasStrategyAnswer
    paymaster: NotRequired[Reference]
    forwarderContract: NotRequired[Reference]


class GasPolicyAnswer(GasPolicyFields):
    """A gas policy, not expanded: related objects are given by id."""

    transactionIntents: list[Reference]
    policyRules: list[Reference]


class GasRuleAnswer(TypedDict):
    """A rule. Its members depend on its type; `functionName` is the kind of a limit."""

    id: str
    object: Literal["policyRule"]
    createdAt: int
    type: Literal["contract_functions", "account_functions", "rate_limit"]
    contract: NotRequired[ContractAnswer | Reference]
    functionName: NotRequired[str]
    """The function that is sponsored; for limits, which limit it is."""
    wildcard: NotRequired[bool]
    gasLimit: NotRequired[str]
    countLimit: NotRequired[int]
    timeIntervalType: NotRequired[IntervalType]
    timeIntervalValue: NotRequired[int]


def gas_policy_answer(project: Project, row: FeeSponsorship) -> GasPolicyAnswer:
    """A fee sponsorship as the older API shows it: a gas policy."""
    answer: GasPolicyAnswer = {
        "id": row.id,
        "object": "policy",
        "createdAt": to_seconds(row.created_ms),
        "name": row.name,
        "deleted": row.deleted,
        "enabled": row.enabled,
        "chainId": cast(int, row.chain_id),
        "strategy": _strategy(row.strategy),
        "transactionIntents": latest_intents(project, "fee_sponsorship_id", row.id),
        "policyRules": [
            {"id": rule.id} for rule in project.guardrails.gas_rules.find("sponsorship_id", row.id)
        ],
        "paymaster": {"id": row.paymaster_id} if row.paymaster_id else ABSENT,
        "forwarderContract": {"id": row.forwarder_contract_id} if row.forwarder_contract_id else ABSENT,
    }
    return present(answer)


def _strategy(strategy: Strategy) -> GasStrategyAnswer:
    token = strategy.tokens[0] if strategy.tokens else None
    answer: GasStrategyAnswer = {
        "sponsorSchema": strategy.sponsor_schema,
        "tokenContract": token.contract if token else ABSENT,
        "tokenContractAmount": cast(str, token.amount) if token else ABSENT,
        "depositor": optional(strategy.depositor),
    }
    return present(answer)


def gas_rule_answer(project: Project, row: GasRule, expand: Collection[str] = ()) -> GasRuleAnswer:
    """A rule of a gas policy as the API shows it, its `contract` inlined if that is asked for."""
    limits = row.kind not in ("account_functions", "contract_functions")
    answer: GasRuleAnswer = {
        "id": row.id,
        "object": "policyRule",
        "createdAt": to_seconds(row.created_ms),
        "type": row.kind if row.kind in ("account_functions", "contract_functions") else "rate_limit",
        "wildcard": row.contract_id is None if row.kind == "contract_functions" else ABSENT,
        "functionName": row.kind if limits else optional(row.function_name),
        "contract": _contract(project, row.contract_id, expand) if row.contract_id else ABSENT,
        "gasLimit": ABSENT if row.gas_limit_wei is None else str(row.gas_limit_wei),
        "countLimit": optional(row.count_limit),
        "timeIntervalType": optional(row.interval_type),
        "timeIntervalValue": optional(row.interval_count),
    }
    return present(answer)


def _contract(project: Project, contract_id: str, expand: Collection[str]) -> Reference | ContractAnswer:
    contract = project.onchain.contracts.get(contract_id)
    if contract is None or "contract" not in expand:
        return {"id": contract_id}
    return contract_answer(project, contract)
