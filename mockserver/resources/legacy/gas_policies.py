"""Gas policies: the older face of fee sponsorships (specification, Older endpoints)."""

from mockserver.api.access import secret_key
from mockserver.api.endpoint import Group

gas_policies = Group("Gas policies (v1)")

_READ = secret_key("fee_sponsorship:read")
_WRITE = secret_key("fee_sponsorship:write")

gas_policies.planned(
    "DELETE", "/v1/policies/{id}", "DeleteGasPolicyLegacy", secret_key("fee_sponsorship:delete")
)
gas_policies.planned("PUT", "/v1/policies/{id}/disable", "DisableGasPolicyLegacy", _WRITE)
gas_policies.planned("PUT", "/v1/policies/{id}/enable", "EnableGasPolicyLegacy", _WRITE)
gas_policies.planned("GET", "/v1/policies/{id}/reports", "GetGasPolicyTotalGasUsageLegacy", _READ)
gas_policies.planned(
    "GET",
    "/v1/policies/{id}/reports/transaction_intents",
    "GetGasPolicyReportTransactionIntentsLegacy",
    _READ,
)
gas_policies.planned("GET", "/v1/policies/{id}/withdraw", "GetGasPolicyBalanceLegacy", _READ)
gas_policies.planned("POST", "/v1/policies/{id}/withdraw", "CreateGasPolicyWithdrawalLegacy", _WRITE)
