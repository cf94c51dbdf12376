#!/usr/bin/env bash
# Runs the README's demo command as written, waits for the address that it prints, asks page and API, sees a live run come
# in, stops it as a person would. Says how long each step took.
set -uo pipefail
log=$(mktemp)
export MULLIGAN_DATA_DIR
MULLIGAN_DATA_DIR=$(mktemp -d)
trap 'rm -rf "$log" "$MULLIGAN_DATA_DIR"' EXIT
SECONDS=0
setsid bash -c "$1" >"$log" 2>&1 &
group=$!

# within SECONDS COMMAND...: tries until it succeeds, or the demo has ended, or the time is up.
within() {
  local until=$((SECONDS + $1))
  shift
  while ! "$@"; do
    if [ "$SECONDS" -ge "$until" ] || ! kill -0 "$group" 2>/dev/null; then return 1; fi
    sleep 0.5
  done
}

address() {
  url=$(grep -o 'http://127\.0\.0\.1:[0-9]*' "$log" | head -n 1)
  [ -n "$url" ]
}

get() { curl --silent --fail --max-time 10 "$url$1"; }
begun() { grep -q 'Ctrl-C' "$log"; }
# calls INTERVAL: how many calls the API counts in it.
calls() { get "/api/v1/funnel?last=$1" | grep -o '"calls":{"total":[0-9]*' | head -n 1 | grep -o '[0-9]*$'; }
has_data() { [ "$(calls 90d)" -gt 0 ] 2>/dev/null; }
went_on() { [ "$(calls 15m)" -gt "$before" ] 2>/dev/null; }

failure=""
step() { printf -- '    %s after %s s\n' "$1" "$SECONDS"; }
if ! within 300 address; then failure="it printed no address"
elif step "address printed" && ! within 60 has_data; then failure="the API has no calls"
elif step "first data" && ! get / | grep -qi '<!doctype html>'; then failure="there is no page at /"
elif ! within 180 begun; then failure="it did not come to its end"
elif step "all linked" && ! get "/api/v1/funnel?last=90d" | grep -q '"first_repair_rate"'; then failure="the funnel has no rates"
else
  before=$(calls 15m)
  if within 60 went_on; then step "a live run seen"; else failure="no live run came in"; fi
fi
cat "$log"
status=0
if [ -z "$failure" ]; then echo "demo answered at $url"; else status=1; echo "demo: $failure" >&2; fi

kill -INT -- "-$group" 2>/dev/null
for _ in $(seq 1 40); do
  kill -0 -- "-$group" 2>/dev/null || break
  sleep 0.25
done
if kill -0 -- "-$group" 2>/dev/null; then
  echo "demo did not stop on Ctrl-C" >&2
  kill -KILL -- "-$group"
  status=1
fi
exit "$status"
