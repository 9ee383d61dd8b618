# A project of one test: its own keys, rows and clock. What a test asks of the mock server goes through its control API.

: "${MOCKSERVER_URL:?is not set: run mockserver exec -- ./test.sh}"

# control METHOD PATH [CURL OPTIONS]
control() {
  curl --silent --show-error --fail-with-body --request "$1" "$MOCKSERVER_URL/_mock/projects$2" \
    --header "X-Mockserver-Token: ${MOCKSERVER_CONTROL_TOKEN:-}" "${@:3}"
}

json=(--header 'Content-Type: application/json' --data)
yaml=(--header 'Content-Type: application/yaml' --data-binary)

# new_project SCENARIO: sets PROJECT, SECRET_KEY, PUBLISHABLE_KEY and captured.
new_project() {
  local made
  made=$(control POST "" "${json[@]}" '{"clock": {"mode": "frozen"}}')
  PROJECT=$(jq --raw-output .id <<<"$made")
  SECRET_KEY=$(jq --raw-output .secret_key <<<"$made")
  PUBLISHABLE_KEY=$(jq --raw-output .publishable_key <<<"$made")
  captured=$(control POST "/$PROJECT/scenarios" "${yaml[@]}" "@$1" | jq .captured)
}

# id NAME: that of what a step of the scenario made.
id() {
  jq --exit-status --raw-output --arg name "$1" '.[$name].id // empty' <<<"$captured" ||
    { echo "the scenario captures no $1" >&2; return 1; }
}

# load SCENARIO: adds the rules of a text.
load() { control POST "/$PROJECT/scenarios" "${yaml[@]}" "$1" >/dev/null; }

# code EMAIL: the one in the newest mail to an address.
code() {
  control GET "/$PROJECT/outbox?order=desc&limit=1&to=$1" | jq --exit-status --raw-output '.data[0].code // empty' ||
    { echo "there is no mail to $1" >&2; return 1; }
}

# advance SECONDS
advance() { control POST "/$PROJECT/clock/advance" "${json[@]}" "{\"seconds\": $1}" >/dev/null; }

# spent SPONSORSHIP: what it has paid for gas, in wei.
spent() { control GET "/$PROJECT/fee-sponsorships/$1/budget" | jq --raw-output .spent_wei; }

# verify CALLS: fails unless they were made.
verify() { control POST "/$PROJECT/verify" "${json[@]}" "$1" >/dev/null; }
