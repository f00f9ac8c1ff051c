# shellcheck shell=bash disable=SC2154 # names from lib.sh, roce.sh and prepare.sh
# Boots the guest, runs one command in it, and passes its output and exit code on.

roce_run=''
roce_guest=''

# Seconds until the command begins: some ten are usual, on a busy machine some thirty.
readonly roce_boot_limit=120

roce_cleanup() {
  if [[ -n $roce_guest ]]; then
    kill "$roce_guest" 2>/dev/null || true
    wait "$roce_guest" 2>/dev/null || true
  fi
  [[ -z $roce_run ]] || rm -rf "$roce_run"
}

# What scripts/roce/guest reads: the command and its surroundings.
roce_write_job() {
  local shares=("$PWD/.dev" "${roce_shares[@]}") command=("$@") folder=$CALLER_FOLDER
  local variables=("JAVA_HOME=$JAVA_HOME" "PATH=$JAVA_HOME/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    "${roce_variables[@]}")
  declare -p shares variables command folder >"$roce_run/job"
}

# Words of the guest's kernel command line that scripts/roce/init and guest read.
roce_words() {
  printf 'panic=-1 roce.engine=%s roce.guest=%s roce.run=%s roce.tools=%s' \
    "$roce_engine" "$PWD/scripts/roce/guest" "$roce_run" "$roce_tools"
}

# roce_boot COMMAND...: returns the command's code; 124 after the timeout, 125 when the guest died without telling one. A guest
# that does not come up, as happens to emulated ones on a busy machine, is booted once more.
roce_boot() {
  local code=0
  trap roce_cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  roce_boot_once "$@" || code=$?
  if [[ $code -ne 0 && ! -e $roce_run/started && ! -s $roce_run/status ]]; then
    printf 'note: the guest is booted once more\n' >&2
    roce_cleanup
    code=0
    roce_boot_once "$@" || code=$?
  fi
  return "$code"
}

roce_boot_once() {
  local out err watch code=0
  roce_run=$(mktemp -d "$roce_state/run.XXXXXX") || return
  roce_write_job "$@"
  mkfifo "$roce_run/out" "$roce_run/err"
  : >"$roce_run/log"
  cat "$roce_run/out" &
  out=$!
  cat "$roce_run/err" >&2 &
  err=$!
  # Held open, so that both readers see an end also when the engine dies before it opens the pipes.
  exec 5>"$roce_run/out" 6>"$roce_run/err"
  "roce_${roce_engine}_run" 5>&- 6>&- &
  roce_guest=$!
  roce_watch "$roce_guest" 5>&- 6>&- &
  watch=$!
  wait "$roce_guest" || code=$?
  roce_guest=''
  kill "$watch" 2>/dev/null || true
  wait "$watch" 2>/dev/null || true
  exec 5>&- 6>&-
  wait "$out" "$err" 2>/dev/null || true
  roce_outcome "$code"
}

# roce_watch PID: ends a guest that has not begun with the command in time.
roce_watch() {
  local second
  for ((second = 0; second < roce_boot_limit; second++)); do
    sleep 1
    [[ -d /proc/$1 && ! -e $roce_run/started ]] || return 0
  done
  kill "$1" 2>/dev/null || true
}

roce_outcome() {
  local status
  if [[ -s $roce_run/status ]]; then
    status=$(<"$roce_run/status")
    [[ $status -ne 126 ]] || grep -a '^roce:' "$roce_run/console" >&2 || true
    return "$status"
  fi
  if [[ ! -e $roce_run/started ]]; then
    printf 'error: the guest did not come up (engine: %s); last lines of its logs:\n' "$1" >&2
    tail -n 60 "$roce_run/console" "$roce_run/log" >&2 || true
    return 125
  fi
  if [[ $1 -eq 124 || $1 -eq 137 ]]; then
    printf 'error: the command in the guest was ended after %s s\n' "$roce_timeout" >&2
    return 124
  fi
  printf 'error: the guest ended without a status (engine: %s); last lines of its logs:\n' "$1" >&2
  tail -n 60 "$roce_run/console" "$roce_run/log" >&2 || true
  return 125
}
