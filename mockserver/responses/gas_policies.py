"""Gas policies and their rules: fee sponsorships in the older API (specification, Older endpoints)."""

from typing import Literal, NotRequired, cast

from typing_extensions import TypedDict

from mockserver.kernel.clock import to_seconds
from mockserver.responses.contracts import ContractAnswer, contract_answer
from mockserver.responses.players import latest_intents
from mockserver.responses.shapes import Reference, optional
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
    contract: NotRequired[Reference | ContractAnswer]
    functionName: NotRequired[str]
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
    }
    if row.paymaster_id is not None:
        answer["paymaster"] = {"id": row.paymaster_id}
    if row.forwarder_contract_id is not None:
        answer["forwarderContract"] = {"id": row.forwarder_contract_id}
    return answer


def _strategy(strategy: Strategy) -> GasStrategyAnswer:
    answer: GasStrategyAnswer = {"sponsorSchema": strategy.sponsor_schema}
    if strategy.tokens:
        answer["tokenContract"] = strategy.tokens[0].contract
        answer["tokenContractAmount"] = cast(str, strategy.tokens[0].amount)
    if strategy.depositor is not None:
        answer["depositor"] = strategy.depositor
    return answer


def gas_rule_answer(project: Project, row: GasRule, expand: frozenset[str] = frozenset()) -> GasRuleAnswer:
    """A rule of a gas policy as the API shows it, its `contract` inlined if that is asked for."""
    answer: GasRuleAnswer = {
        "id": row.id,
        "object": "policyRule",
        "createdAt": to_seconds(row.created_ms),
        "type": "rate_limit",
    }
    if row.kind == "account_functions":
        answer["type"] = "account_functions"
    elif row.kind == "contract_functions":
        answer["type"] = "contract_functions"
        answer["wildcard"] = row.contract_id is None
        if row.function_name is not None:
            answer["functionName"] = row.function_name
        if row.contract_id is not None:
            answer["contract"] = _contract(project, row.contract_id, expand)
    else:
        answer["functionName"] = row.kind
        limit = None if row.gas_limit_wei is None else str(row.gas_limit_wei)
        answer |= cast(
            GasRuleAnswer,
            optional(
                gasLimit=limit,
                countLimit=row.count_limit,
                timeIntervalType=row.interval_type,
                timeIntervalValue=row.interval_count,
            ),
        )
    return answer


def _contract(project: Project, contract_id: str, expand: frozenset[str]) -> Reference | ContractAnswer:
    contract = project.onchain.contracts.get(contract_id)
    if contract is None or "contract" not in expand:
        return {"id": contract_id}
    return contract_answer(contract)
