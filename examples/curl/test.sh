#!/usr/bin/env bash
# The tests of shop.sh. Each runs in a shell of its own, with a project of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source shop.sh
source mock_project.sh

equal() { [[ $1 == "$2" ]] || { echo "line ${BASH_LINENO[0]}: '$1' is not '$2'" >&2; return 1; }; }
member() { jq --exit-status --raw-output "$1"; }

connect() {
  new_project ../shop.yaml
  SHOP_URL=$MOCKSERVER_URL SHOP_SECRET_KEY=$SECRET_KEY SHOP_PUBLISHABLE_KEY=$PUBLISHABLE_KEY
}

sign_in_by_code() {
  send_code ada@example.com
  sign_in ada@example.com "$(code ada@example.com)"
}

customer_signs_in_by_code() {
  local first user again
  first=$(sign_in_by_code)
  user=$(who_is "$(member .token <<<"$first")")
  equal "$(member .id <<<"$user")" "$(member .user.id <<<"$first")"
  equal "$(member .email <<<"$user")" ada@example.com

  again=$(sign_in_by_code)
  equal "$(member .user.id <<<"$again")" "$(member .user.id <<<"$first")"
}

sponsored_payment_confirms() {
  local paid confirmed
  paid=$(pay order-16 "$(id till)" "$(id sponsorship)")
  equal "$(member .status <<<"$paid")" sent

  advance 2
  confirmed=$(transaction "$(member .id <<<"$paid")")
  equal "$(member .status <<<"$confirmed")" successful
  member .receipt.transactionHash <<<"$confirmed" >/dev/null
  equal "$(spent "$(id sponsorship)")" "$(member .receipt.gasFee <<<"$confirmed")"
}

lost_answer_is_retried_once() {
  local paid all
  load '
name: lost answer
rules:
  - when: CreateTransaction
    then: {fault: {connection_reset_by_peer: {effect: done, times: 1}}}
'
  paid=$(pay order-17 "$(id till)" "$(id sponsorship)" 2>/dev/null)

  all=$(transactions)
  equal "$(member .total <<<"$all")" 1
  equal "$(member '.data[0].id' <<<"$all")" "$(member .id <<<"$paid")"
  verify '{"call": "CreateTransaction", "headers": {"x-idempotency-key": "order-17"}, "exactly": 2}'
}

passed=0 failed=0
for name in customer_signs_in_by_code sponsored_payment_confirms lost_answer_is_retried_once; do
  # Not behind `if`, where `set -e` does nothing.
  set +e
  (set -e; connect; "$name")
  status=$?
  set -e
  if ((status == 0)); then echo "ok      $name"; ((++passed)); else echo "FAILED  $name"; ((++failed)); fi
done
echo "$passed passed, $failed failed"
((failed == 0))
