# shellcheck shell=bash disable=SC2154 # names from lib.sh
# What ./dev test does beside Maven's own run, most of which is waiting. A lane is a function in a process group of its own,
# with a log of its own. What steps want to say in the end, wherever they run, they leave in files.

readonly lanes_folder=$PWD/.dev/lanes
# Maven's output; lanes wait for what it says.
readonly lanes_maven_log=$PWD/.dev/test.log
lanes_pids=()
lane_name=''

lanes_open() {
  rm -rf "$lanes_folder"
  mkdir -p "$lanes_folder"
  : >"$lanes_maven_log"
  exec 3>&1
  trap lanes_kill EXIT
}

# lane NAME FUNCTION ARGUMENTS...
lane() {
  local name=$1
  shift
  # A process group of its own, to end all of it.
  set -m
  lane_name=$name
  (
    trap - EXIT
    set +e
    (
      set -e
      "$@"
    )
    status=$?
    touch "$lanes_folder/$name.ended"
    exit "$status"
  ) >"$lanes_folder/$name.log" 2>&1 </dev/null &
  lane_name=''
  set +m
  lanes_pids+=("$!")
}

# tell TEXT: to the terminal, also from a lane.
tell() {
  say "$*"
  [[ -z $lane_name ]] || say "$lane_name: $*" >&3
}

# step WHAT FUNCTION ARGUMENTS...: says how long it took, and keeps its failure. Not for use in conditions, where the shell
# overlooks what fails within.
step() {
  local what=$1 started=$SECONDS status
  shift
  say "$what"
  set +e
  (
    set -e
    "$@"
  )
  status=$?
  set -e
  if [[ $status -eq 0 ]]; then
    tell "passed, $((SECONDS - started)) s: $what"
  else
    tell "FAILED, $((SECONDS - started)) s: $what"
    failed "$what"
  fi
}

# failed TEXT: the run fails in the end, and says so.
failed() {
  printf '%s\n' "$*" >>"$lanes_folder/failed"
}

# skipped TEXT: named in the end.
skipped() {
  printf '%s\n' "$*" >>"$lanes_folder/skipped"
}

# await_lane NAME FILE: until that lane has made the file in the lanes' folder, or has ended.
await_lane() {
  until [[ -f $lanes_folder/$2 || -f $lanes_folder/$1.ended ]]; do
    sleep 1
  done
}

# maven_said PATTERN: waits until Maven's output has the pattern; 1 when Maven ends without.
maven_said() {
  until grep -q "$1" "$lanes_maven_log"; do
    [[ ! -f $lanes_folder/maven-ended ]] || { grep -q "$1" "$lanes_maven_log" && return || return 1; }
    sleep 1
  done
}

lanes_join() {
  local pid
  for pid in "${lanes_pids[@]}"; do
    wait "$pid" || failed "a lane ended with status $?, see the logs in $lanes_folder"
  done
  lanes_pids=()
}

# What lanes printed, when anything failed.
lanes_print() {
  local log
  [[ -s $lanes_folder/failed ]] || return 0
  for log in "$lanes_folder"/*.log; do
    say "log of lane $(basename "$log" .log)"
    cat "$log"
  done
}

lanes_kill() {
  local pid
  for pid in "${lanes_pids[@]}"; do
    kill -- "-$pid" 2>/dev/null || true
  done
}
