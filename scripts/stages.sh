# Checks in stages, each under its own headline, and a summary of them. Sourced, not run.
# shellcheck shell=bash

stops_early=false
if [[ ${1:-} == --fast ]]; then stops_early=true; fi
summary=()
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Prints the summary and ends the script.
finish() {
  printf '\n=== summary\n\n'
  printf '%s\n' "${summary[@]}"
  exit "$status"
}

# stage NAME COMMAND…: runs the command; after a failure the next stages run too, except with --fast.
stage() {
  local name=$1 started=$SECONDS result last
  shift
  printf '\n=== %s: %s\n\n' "$name" "$*"
  if "$@" 2>&1 | tee "$log"; then result=passed; else result=FAILED status=1; fi
  last=$(grep -E 'tests passed|no crash|found nothing|found a defect|failed|error:' "$log" | tail -n 1)
  summary+=("$(printf '%-8s %-7s %4d s  %s' "$name" "$result" $((SECONDS - started)) "$last")")
  if ((status)) && $stops_early; then finish; fi
}
