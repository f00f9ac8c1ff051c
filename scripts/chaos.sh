# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev chaos: the program io.tensorfabric.bench.chaos.ChaosApplication.

chaos_usage() {
  cat <<'TEXT'
usage: ./dev chaos [--seconds N] [--seed S] [--folder FOLDER] [--roce]

Starts three processes that push tensors to each other, and kills, restarts, stops and continues them, and cuts, refuses,
delays and stalls their connections, as the seed says. In the end it checks that each tensor arrived whole and once, that
each push ended in time with a receipt or a typed exception, and that memory, queue pairs, threads and files came back.

  --seconds N      how long faults happen (60); starting, recovering and checking take about half a minute more
  --seed S         the same seed means the same plan of faults (a random one, which is printed)
  --folder FOLDER  for logs and journals of the processes (a new temporary one)
  --roce           in the Soft-RoCE guest, through libibverbs: packets are lost and late, and links go down and up, beside
                   what happens to processes and to the negotiation. Logs are in .dev/chaos-roce. Takes two minutes more.

The last line is
  chaos ok: PUSHES pushes, FAULTS faults, 0 violations
or begins with "chaos FAILED:".
TEXT
}

readonly chaos_roce_logs=$PWD/.dev/chaos-roce

run_chaos() {
  local argument roce='' arguments=()
  for argument in "$@"; do
    case $argument in
      -h | --help)
        chaos_usage
        return
        ;;
      --roce) roce=yes ;;
      *) arguments+=("$argument") ;;
    esac
  done
  [[ -z $roce || " $* " != *' --folder'* ]] || die "--roce and --folder exclude each other: the guest's logs go to $chaos_roce_logs"
  # shellcheck source=scripts/bench.sh
  source scripts/bench.sh
  bench_build
  [[ -n ${JAVA_HOME:-} ]] || need_java
  local java=("$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m
    -cp "bench/target/classes:$(<bench/target/run.classpath)" io.tensorfabric.bench.chaos.ChaosApplication)
  if [[ -n $roce ]]; then
    chaos_in_guest "${java[@]}" "${arguments[@]}"
  else
    run "${java[@]}" "${arguments[@]}"
  fi
}

# The guest's own files are in memory, so the journals are written quickly; they are copied out in the end.
chaos_in_guest() {
  # shellcheck source=scripts/roce.sh
  declare -F run_roce >/dev/null || source scripts/roce.sh
  CALLER_FOLDER=$PWD
  rm -rf "$chaos_roce_logs"
  mkdir -p "$chaos_roce_logs"
  # shellcheck disable=SC2016 # for the guest's shell
  run_roce --engine "${ROCE_ENGINE:-uml}" --timeout 1800 -- bash -c '
    "${@:2}" --roce --folder /tmp/chaos; code=$?
    cp -r /tmp/chaos/. "$1/"
    exit $code' chaos "$chaos_roce_logs" "$@"
}
