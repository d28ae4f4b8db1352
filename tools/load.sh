#!/usr/bin/env bash
# Load on `mapo serve`: real questions about a real table, asked over HTTP by many clients at once, measured with wrk
# (https://github.com/wg/wrk; `apt-get install wrk`).
#
#   tools/load.sh [SECONDS] [CLIENTS...]        30 seconds, with 1, 8 and 64 clients unless told otherwise
#
# It starts the server itself, on a free port of this machine, with a table of 100 invented rows, and ends it. Three
# kinds of requests are measured, each with every number of clients:
#   ask     questions of different kinds, in turn, answered by the model in the box
#   rows    a page of 50 rows
#   health  the smallest answer, which tells what the server itself costs
# cpu_ms is the processor time that the server takes for a request: unlike the others it hardly changes where other
# programs use the machine too.
# Answers other than 200 are counted and shown: with more clients than workers and queue together, some are told to come
# back (503), and their time is not the time of an answer. The queue is made long enough that this does not happen.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-30}
shift || true
clients=("${@:-1}")
[ $# -gt 0 ] || clients=(1 8 64)
command -v wrk >/dev/null || { echo "load.sh: wrk is missing; install it with: apt-get install wrk" >&2; exit 2; }
mapo=${MAPO:-target/release/mapo}
[ -x "$mapo" ] || { echo "load.sh: $mapo is missing; build it with: cargo build --release, or name another in MAPO" >&2; exit 2; }

scratch=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$scratch"' EXIT

python3 - "$scratch/races.csv" <<'PYTHON'
import sys
towns = ["Whitcombe", "Harrowby", "Oldport", "Skerra", "Hallowey", "Pellow", "Marsh End", "Tarn"]
names = ["Ida Marrack", "Tomas Vale", "Ellen Corrie", "Jonah Teague", "Agnes Pryce", "Ruth Penhale", "Edwin Lusk"]
with open(sys.argv[1], "w") as out:
    print("Race,Date,Town,Winner,Runners,Distance (km),Minutes", file=out)
    for n in range(100):
        print(f"Race {n + 1},{2010 + n // 8}-{n % 12 + 1:02}-{n % 28 + 1:02},{towns[n * 5 % 8]},{names[n * 3 % 7]},"
              f"{40 + n * 37 % 210},{5 + n % 4 * 5},{21 + n * 13 % 90}", file=out)
PYTHON

"$mapo" serve "$scratch/races.csv" --address 127.0.0.1:0 --max-queue 1000 --max-connections 1000 > "$scratch/said" 2> "$scratch/warned" &
server=$!
for _ in $(seq 100); do
  grep -q http "$scratch/said" && break
  kill -0 "$server" 2>/dev/null || { cat "$scratch/warned" >&2; exit 1; }
  sleep 0.1
done
address=$(sed -n 's/.*\(http:\/\/[^/]*\)\/.*/\1/p' "$scratch/said")

cat > "$scratch/ask.lua" <<'LUA'
-- Ten questions in turn, each thread beginning elsewhere.
local questions = {
  "how many races were in Harrowby?", "who won the race with the most runners?",
  "which town had the most races?", "what is the difference in minutes between Race 3 and Race 40?",
  "how many races had more than 100 runners?", "who won Race 17?", "which race was the longest?",
  "which races did Ida Marrack win in Oldport?", "how many races were before 2014?", "which race comes after Race 50?",
}
local at = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
function request()
  at = at + 1
  return wrk.format(nil, nil, nil, '{"question":"' .. questions[at % #questions + 1] .. '"}')
end
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() refused = 0 end
function response(status) if status ~= 200 then refused = refused + 1 end end
function done(summary, latency)
  local refused = 0
  for _, thread in ipairs(threads) do refused = refused + thread:get("refused") end
  local errors = summary.errors
  io.write(string.format("%d %10.0f %10.1f %10.1f %10.1f %8d %8d\n", summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3, refused,
    errors.connect + errors.read + errors.write + errors.timeout))
end
LUA
sed '/^-- Ten/,/^end$/d' "$scratch/ask.lua" > "$scratch/plain.lua"

ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat" 2>/dev/null || echo 0; } # processor time of the server

measure() { # measure NAME PATH SCRIPT
  for count in "${clients[@]}"; do
    threads=$((count < 2 ? 1 : 2))
    before=$(ticks)
    read -r requests figures < <(wrk -t "$threads" -c "$count" -d "${seconds}s" --timeout 30s -s "$scratch/$3.lua" "$address$2" | tail -n 1)
    cpu=$(awk "BEGIN { print ($(ticks) - $before) * 1000 / $(getconf CLK_TCK) / ($requests > 0 ? $requests : 1) }")
    # shellcheck disable=SC2086 # the figures are several
    printf '%-8s %8d %10.0f %10.1f %10.1f %10.1f %8d %8d %8.2f\n' "$1" "$count" $figures "$cpu"
  done
}

printf '%s, %s, %s\n' "$("$mapo" --version)" "$(wrk -v 2>&1 | head -n 1 | cut -d ' ' -f 1-2)" \
  "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1), $(nproc) cores"
# Once before, so that nothing is read from disk while it is measured.
wrk -t 1 -c 1 -d 2s -s "$scratch/ask.lua" "$address/api/tables/table-1/ask" >/dev/null
printf '%-8s %8s %10s %10s %10s %10s %8s %8s %8s\n' what clients per_second median_ms p99_ms max_ms not_200 errors cpu_ms
measure ask /api/tables/table-1/ask ask
measure rows /api/tables/table-1/rows plain
measure health /api/health plain
printf 'memory of the server at its largest: %s\n' "$(sed -n 's/^VmHWM:[[:space:]]*//p' "/proc/$server/status" 2>/dev/null)"
