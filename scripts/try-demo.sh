#!/usr/bin/env bash
# Runs the README's demo command as written, waits for the address that it prints, asks the API, stops it as a person would.
set -uo pipefail
log=$(mktemp)
export MULLIGAN_DATA_DIR
MULLIGAN_DATA_DIR=$(mktemp -d)
trap 'rm -rf "$log" "$MULLIGAN_DATA_DIR"' EXIT
setsid bash -c "$1" >"$log" 2>&1 &
group=$!
for _ in $(seq 1 240); do
  url=$(grep -o 'http://127\.0\.0\.1:[0-9]*' "$log" | head -n 1)
  if [ -n "$url" ] && grep -q 'Ctrl-C' "$log"; then break; fi
  kill -0 "$group" 2>/dev/null || break
  sleep 0.5
done
cat "$log"
status=1
if [ -n "${url:-}" ] && curl --silent --fail --max-time 10 "$url/api/v1/funnel?last=90d" | grep -q '"first_repair_rate"'; then
  echo "demo answered at $url"
  status=0
fi
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
