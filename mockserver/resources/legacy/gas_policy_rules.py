"""The rules of gas policies (specification, Older endpoints)."""

from mockserver.api.access import secret_key
from mockserver.api.endpoint import Group

gas_policy_rules = Group("Gas policy rules (v1)")

_WRITE = secret_key("policies:write")

gas_policy_rules.planned("GET", "/v1/policy_rules", "GetGasPolicyRulesLegacy", secret_key("policies:read"))
gas_policy_rules.planned("POST", "/v1/policy_rules", "CreateGasPolicyRuleLegacy", _WRITE)
gas_policy_rules.planned("POST", "/v1/policy_rules/{id}", "UpdateGasPolicyRuleLegacy", _WRITE)
gas_policy_rules.planned(
    "DELETE", "/v1/policy_rules/{id}", "DeleteGasPolicyRuleLegacy", secret_key("policies:delete")
)
