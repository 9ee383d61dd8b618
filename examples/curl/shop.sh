# A shop's own calls of the API, which know nothing of the mock server: SHOP_URL, SHOP_SECRET_KEY, SHOP_PUBLISHABLE_KEY.

api() { curl --silent --show-error --fail-with-body --header 'Content-Type: application/json' "$@"; }
as_customer() { api --header "X-Project-Key: $SHOP_PUBLISHABLE_KEY" "$@"; }
as_backend() { api --header "Authorization: Bearer $SHOP_SECRET_KEY" "$@"; }

# send_code EMAIL
send_code() {
  jq --null-input --arg email "$1" '{email: $email, type: "sign-in"}' |
    as_customer "$SHOP_URL/iam/v2/auth/email-otp/send-verification-otp" --data @- >/dev/null
}

# sign_in EMAIL CODE: the session, with its token and its user.
sign_in() {
  jq --null-input --arg email "$1" --arg otp "$2" '{$email, $otp}' |
    as_customer "$SHOP_URL/iam/v2/auth/sign-in/email-otp" --data @-
}

# who_is TOKEN: the user whose token it is.
who_is() {
  as_customer "$SHOP_URL/iam/v2/auth/get-session" --header "Authorization: Bearer $1" | jq .user
}

# pay ORDER ACCOUNT SPONSORSHIP: the transaction. If no answer came, it asks again: with the same key, nothing is paid twice.
pay() {
  jq --null-input --arg account "$2" --arg sponsorship "$3" '{
    chainId: 80002,
    accountId: $account,
    feeSponsorshipId: $sponsorship,
    calls: [{to: "0x00000000000000000000000000000000000000a1", value: "1000"}],
    waitForReceipt: false
  }' | as_backend "$SHOP_URL/v2/transactions" --header "X-Idempotency-Key: $1" --data @- \
    --retry 2 --retry-delay 1 --retry-all-errors
}

# transaction ID
transaction() { as_backend "$SHOP_URL/v2/transactions/$1"; }

# transactions: a page of the newest.
transactions() { as_backend "$SHOP_URL/v2/transactions"; }
