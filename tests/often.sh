#!/usr/bin/env bash
# The suite again and again, some of it beside busy loops: what fails one time in ten hides from one run.
# Ends at the first failure, and says what failed; the whole of each run is kept in build/often/.
#
#   tests/often.sh [RUNS] [BUSY]    # ten runs, of which runs 2, 5 and 8 are beside six busy loops
set -euo pipefail
cd "$(dirname "$0")/.."
runs=${1:-10} busy=${2:-"2 5 8"} loops=6
mkdir -p build/often

for run in $(seq "$runs"); do
    beside=()
    if [[ " $busy " == *" $run "* ]]; then
        for _ in $(seq "$loops"); do
            python3 -c 'while True: pass' &
            beside+=($!)
        done
    fi
    trap '[ ${#beside[@]} -eq 0 ] || kill "${beside[@]}" 2>/dev/null' EXIT
    began=$(date +%s)
    if make test >"build/often/$run.log" 2>&1 </dev/null; then outcome=passed; else outcome=failed; fi
    [ ${#beside[@]} -eq 0 ] || kill "${beside[@]}"
    echo "run $run of $runs, beside ${#beside[@]} busy loops: $outcome after $(($(date +%s) - began)) s;" \
        "$(grep -E '^=+ .*(passed|failed)' "build/often/$run.log" | tail -n 1 | tr -d '=')"
    if [ "$outcome" = failed ]; then
        grep -E '^(FAILED|ERROR) ' "build/often/$run.log" || tail -n 20 "build/often/$run.log"
        exit 1
    fi
done
