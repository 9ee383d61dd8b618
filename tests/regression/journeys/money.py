"""Who pays for gas: sponsorships, gas policies with rules, reports and withdrawals, and what they need."""

from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct

from tests.regression.journeys.rules import rule
from tests.regression.story import Project, Story

AMOY = 80002
TOKEN = "0x" + "5f" * 20
PAGES = ("", "?limit=1", "?limit=1&skip=1&order=asc", "?limit=x", "?order=up")
FREE: dict[str, Any] = {"sponsorSchema": "pay_for_user"}
FIXED = {"sponsorSchema": "fixed_rate", "tokenContractAmount": "1000"}
CHARGED = {"sponsorSchema": "charge_custom_tokens", "tokenContractAmount": "2000"}


def function(name: str, inputs: dict[str, str], output: str | None = None, **more: str) -> dict[str, Any]:
    """A function of an ABI; `inputs` are types by name."""
    parameters = [{"name": each, "type": kind} for each, kind in inputs.items()]
    outputs = [] if output is None else [{"name": "", "type": output}]
    return {"type": "function", "name": name, "inputs": parameters, "outputs": outputs, **more}


FUNCTIONS = [
    function("mint", {"to": "address", "id": "uint256"}),
    function("transfer", {"to": "address", "value": "uint256"}, "bool"),
    function("balanceOf", {"owner": "address"}, "uint256", stateMutability="view"),
    function("name", {}, "string", stateMutability="view"),
]


def contract(project: Project, address: str = TOKEN, **more: Any) -> str:
    """The id of a registered contract."""
    body = {"name": "Token", "chainId": AMOY, "address": address, "abi": FUNCTIONS, **more}
    return str(project.call("POST", "/v1/contracts", body).get("id", "con_unknown"))


def sponsorship(project: Project, strategy: dict[str, Any] | None = None, **more: Any) -> str:
    """The id of a fee sponsorship that accepts everything on a chain."""
    criterion = {"type": "evmNetwork", "operator": "in", "chainIds": [AMOY]}
    policy = project.call(
        "POST", "/v2/policies", {"scope": "project", "rules": [rule("sponsorEvmTransaction", criterion)]}
    )
    body = {"name": "All", "chainId": AMOY, "policyId": policy["id"], "strategy": strategy or FREE, **more}
    return str(project.call("POST", "/v2/fee-sponsorship", body).get("id", "pol_unknown"))


def gas_policy(project: Project, strategy: dict[str, Any] | None = None, **more: Any) -> str:
    """The id of a gas policy with a rule that accepts what accounts do."""
    body = {"name": "gas", "chainId": AMOY, "strategy": strategy or FREE, **more}
    policy = str(project.call("POST", "/v1/policies", body).get("id", "pol_unknown"))
    project.call("POST", "/v1/policy_rules", {"policy": policy, "type": "account_functions"})
    return policy


def contracts(story: Story) -> None:
    """Contracts: registered, read, changed, deleted; one request sent twice."""
    project = story.project("contracts")
    key = {**project.secret, "x-idempotency-key": "once"}
    for address in (TOKEN, TOKEN, "0x" + "6f" * 20):
        project.call("POST", "/v1/contracts", {"name": "Once", "chainId": AMOY, "address": address}, key)
    token = contract(project, "0x" + "7f" * 20)
    contract(project, "0x" + "7f" * 20)
    contract(project, "nonsense")
    contract(project, "0x" + "8f" * 20, chainId=84532, publicVerification=True)
    contract(project, "0x" + "9f" * 20, abi=[{"type": "function", "name": 5}])
    for query in (*PAGES, "?name=Token", "?chainId=80002", f"?address={TOKEN}", "?deleted=true"):
        project.call("GET", f"/v1/contracts{query}")
    holder = "0x" + "11" * 20
    for query in (
        f"functionName=balanceOf&functionArgs={holder}",
        "functionName=name",
        "functionName=nothing",
        "",
        "functionName=balanceOf",
        "functionName=balanceOf&functionArgs=x",
    ):
        project.call("GET", f"/v1/contracts/{token}/read?{query}")
    changes: list[dict[str, Any]] = [{"name": "New"}, {"abi": []}, {"address": TOKEN}, {"chainId": 1}, {}]
    for change in changes:
        project.call("POST", f"/v1/contracts/{token}", change)
        project.call("GET", f"/v1/contracts/{token}")
    for found in (token, token, "con_unknown"):
        project.call("DELETE", f"/v1/contracts/{found}")


def small_resources(story: Story) -> None:
    """Forwarder contracts and paymasters."""
    project = story.project("forwarders")
    for path, body in (
        ("/v1/forwarder_contracts", {"address": TOKEN, "chainId": AMOY}),
        ("/v1/paymasters", {"address": TOKEN, "url": "https://paymaster.example", "context": {"a": 1}}),
    ):
        made = [
            project.call("POST", path, each)
            for each in (body, {**body, "name": "N"}, {}, {**body, "address": "x"})
        ]
        for query in PAGES:
            project.call("GET", path + query)
        for row in [row["id"] for row in made if "id" in row]:
            project.call("GET", f"{path}/{row}")
            for change in (body, {**body, "name": "New"}, {"name": "short"}):
                project.call("POST", f"{path}/{row}", change)
        for found in (row, row):
            project.call("DELETE", f"{path}/{found}")
            project.call("GET", f"{path}/{found}")


def developers(story: Story) -> None:
    """Developer accounts, custodial and the developer's own."""
    project = story.project("developer-accounts")
    path = "/v1/settings/developer_accounts"
    wallet = Account.from_key("0x" + "7" * 64)
    answer = project.call("GET", f"{path}/message_to_sign?address={wallet.address}")
    signed = wallet.sign_message(encode_defunct(text=str(answer.get("message", "")))).signature.hex()
    own = {"address": wallet.address, "signature": "0x" + signed.removeprefix("0x"), "name": "own"}
    made = [
        project.call("POST", path, body)
        for body in ({}, {"name": "till"}, own, own, {**own, "signature": "0x12"})
    ]
    project.call("GET", f"{path}/message_to_sign?address=x")
    types = {"Mail": [{"name": "text", "type": "string"}]}
    typed = {
        "domain": {"name": "Shop", "chainId": AMOY},
        "types": types,
        "primaryType": "Mail",
        "value": {"text": "hi"},
    }
    for row in [row["id"] for row in made if "id" in row]:
        project.call("GET", f"{path}/{row}?expand=transactionIntents")
        project.call("POST", f"{path}/{row}", {"name": "renamed"})
        key = {"account": row, "address": wallet.address, "chainId": AMOY}
        project.call("POST", "/v1/sessions", {**key, "validAfter": 0, "validUntil": 2_000_000_000})
        project.call("POST", "/v1/sessions/revoke", key)
        for body in (typed, {**typed, "hash": "0x" + "11" * 32}, {**typed, "value": {"text": 5}}, {}):
            project.call("POST", f"{path}/{row}/sign_payload", body)
    for query in (*PAGES, "?deleted=true", "?expand=transactionIntents"):
        project.call("GET", path + query)
    for found in (row, row):
        project.call("DELETE", f"{path}/{found}")


def sponsorships(story: Story) -> None:
    """Fee sponsorships of every strategy: made, listed, changed, switched, deleted."""
    project = story.project("sponsorships")
    token = contract(project)
    path = "/v2/fee-sponsorship"
    made = [
        sponsorship(project),
        *(sponsorship(project, {**each, "tokenContract": token}) for each in (FIXED, CHARGED)),
    ]
    sponsorship(project, FIXED)
    sponsorship(project, chainId=1)
    sponsorship(project, policyId="ply_unknown")
    sponsorship(project, {"sponsorSchema": "never"})
    for query in (*PAGES, "?name=All", "?chainId=80002", "?enabled=false", "?deleted=true"):
        project.call("GET", path + query)
    for row in made:
        project.call("GET", f"{path}/{row}")
        for switch in ("disable", "disable", "enable"):
            project.call("PUT", f"{path}/{row}/{switch}")
        for change in ({"name": "New"}, {"strategy": FREE}, {"chainId": 84532}, {"policyId": "ply_unknown"}):
            project.call("PUT", f"{path}/{row}", change)
    for found in (made[-1], made[-1]):
        project.call("DELETE", f"{path}/{found}")


def gas_policies(story: Story) -> None:
    """Gas policies of the older API: rules, intents that they pay for, reports, withdrawals."""
    project = story.project("gas-policies")
    token = contract(project)
    till = project.call("POST", "/v1/settings/developer_accounts", {"name": "till"})["id"]
    account = project.call("POST", "/v1/accounts", {"chainId": AMOY})["id"]
    made = [
        gas_policy(project),
        gas_policy(project, {**FIXED, "tokenContract": token}),
        gas_policy(project, {**CHARGED, "tokenContract": token}),
        gas_policy(project, {**FREE, "depositor": till}),
    ]
    gas_policy(project, FIXED)
    gas_policy(project, chainId=1)
    for number, policy in enumerate(made):
        rules_of(project, policy, token)
        for count in range(3):
            call = {"to": "0x" + "22" * 20, "value": str(count)}
            mint = {"contract": token, "functionName": "mint", "functionArgs": ["0x" + "11" * 20, str(count)]}
            body = {
                "chainId": AMOY,
                "account": account,
                "policy": policy,
                "interactions": [mint if count else call],
            }
            project.call("POST", "/v1/transaction_intents/estimate_gas_cost", body)
            project.call("POST", "/v1/transaction_intents", body)
            project.advance(3)
        for amount in ("1", "100", "x", str(10**30)):
            project.call("GET", f"/v1/policies/{policy}/withdraw")
            project.call("POST", f"/v1/policies/{policy}/withdraw", {"account": till, "amount": amount})
        for query in ("", "?limit=1", "?order=asc"):
            project.call("GET", f"/v1/policies/{policy}/reports{query}")
        for query in ("from=1767225600&to=1767229200", "from=5&to=1", "from=x&to=1", ""):
            project.call("GET", f"/v1/policies/{policy}/reports/transaction_intents?{query}")
        for switch in ("disable", "disable", "enable"):
            project.call("PUT", f"/v1/policies/{policy}/{switch}")
        for change in (
            {"name": f"New {number}"},
            {"strategy": FREE},
            {"chainId": 84532},
            {"deleted": number == 1},
        ):
            project.call("POST", f"/v1/policies/{policy}", change)
            for query in ("", "?expand=transactionIntents&expand=policyRules"):
                project.call("GET", f"/v1/policies/{policy}{query}")
        for query in (*PAGES, "?enabled=true", "?deleted=true", "?name=gas", "?chainId=80002"):
            project.call("GET", f"/v1/policies{query}")
    for found in (made[-1], made[-1]):
        project.call("DELETE", f"/v1/policies/{found}")


def rules_of(project: Project, policy: str, token: str) -> None:
    """Rules of a gas policy: every type, changed and deleted."""
    bodies: list[dict[str, Any]] = [
        {"type": "contract_functions", "contract": token, "functionName": "mint"},
        {"type": "contract_functions", "contract": token, "wildcard": True},
        {
            "type": "rate_limit",
            "functionName": "count_per_interval",
            "countLimit": 50,
            "timeIntervalType": "day",
            "timeIntervalValue": 1,
        },
        {
            "type": "rate_limit",
            "functionName": "gas_per_interval",
            "gasLimit": "1000000000000000000",
            "timeIntervalType": "day",
            "timeIntervalValue": 1,
        },
        {"type": "rate_limit", "functionName": "gas_per_transaction", "gasLimit": "100000000000000000"},
        {"type": "rate_limit"},
        {"type": "contract_functions", "contract": "con_unknown"},
    ]
    made = [project.call("POST", "/v1/policy_rules", {"policy": policy, **body}) for body in bodies]
    rows = [row["id"] for row in made if "id" in row]
    for row, body in zip(rows, bodies, strict=False):
        project.call("POST", f"/v1/policy_rules/{row}", body)
    for query in ("", "&limit=1", "&order=asc", "&expand=contract"):
        project.call("GET", f"/v1/policy_rules?policy={policy}{query}")
    for found in (rows[-1], rows[-1], "afu_unknown"):
        project.call("DELETE", f"/v1/policy_rules/{found}")


JOURNEYS = (contracts, small_resources, developers, sponsorships, gas_policies)
