#!/usr/bin/env bash
# What the image would hold, without an engine to build it: the Dockerfile's production install, the files that its last stage
# copies, started as an unprivileged user where there is one, asked for its health and its page, and stopped by SIGTERM.
set -euo pipefail
image=$(mktemp -d)
log=$(mktemp)
trap 'rm -rf "$image" "$log"' EXIT

cp package.json package-lock.json .npmrc "$image"
mkdir "$image/instrumentation"
cp instrumentation/package.json "$image/instrumentation"
install=$(sed -n '/ AS dependencies$/,/^FROM/s/^RUN \(npm ci.*\)/\1/p' Dockerfile)
(cd "$image" && bash -c "$install --no-audit --no-fund" >"$log" 2>&1) || { cat "$log"; exit 1; }

last=$(tac Dockerfile | sed '/^FROM /q' | tac)
while read -r -a words; do
  unset 'words[0]'
  target=${words[-1]}
  for source in "${words[@]::${#words[@]}-1}"; do
    case $source in
      --from=dependencies | /app/node_modules) continue ;;
      --from=pages) continue ;;
    esac
    source=${source#/app/}
    destination="$image/$target"
    [[ $target == */ ]] && destination="$image/$target$(basename "$source")"
    mkdir -p "$(dirname "$destination")"
    cp -r "$source" "$destination"
  done
done < <(grep '^COPY ' <<<"$last")

node=$(npm exec -- node -p process.execPath)
cp "$node" "$image/node"
mkdir "$image/data"
run=()
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  chmod 755 "$image"
  chown -R 65534:65534 "$image/data"
  run=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
cd "$image"
env -i PATH=/usr/bin:/bin NODE_ENV=production MULLIGAN_DATA_DIR="$image/data/mulligan" MULLIGAN_PORT=0 \
  "${run[@]}" "$image/node" --conditions=@mulligan/source main.ts serve >"$log" 2>&1 &
service=$!
trap 'kill -KILL "$service" 2>/dev/null || true; rm -rf "$image" "$log"' EXIT
for _ in $(seq 1 120); do
  url=$(grep -o 'http://127\.0\.0\.1:[0-9]*' "$log" | head -n 1 || true)
  if [ -n "$url" ] && curl --silent --fail --max-time 3 "$url/readyz" >/dev/null; then break; fi
  kill -0 "$service" 2>/dev/null || break
  sleep 0.5
done
get() { curl --silent --fail --max-time 5 "$url$1"; }
[[ $(get /readyz) == *ready* ]] || { cat "$log"; exit 1; }
[[ $(get /) == *'<div id="app">'* ]] || { echo "no page at $url/: $(curl --silent --include "$url/" | head -n 20)" >&2; exit 1; }
[[ $(get "/api/v1/funnel?last=all") == *'"first_repair_rate"'* ]] || { echo "no answer at $url/api/v1" >&2; exit 1; }
kill -TERM "$service"
wait "$service" || { echo "SIGTERM ended it with status $?" >&2; exit 1; }
echo " served from the image's files ($(du -sm --exclude=node "$image" | cut -f1) MB without Node)"
