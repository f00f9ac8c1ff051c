# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev chaos: the program io.tensorfabric.bench.chaos.ChaosApplication.

chaos_usage() {
  cat <<'TEXT'
usage: ./dev chaos [--seconds N] [--seed S] [--folder FOLDER]

Starts three processes that push tensors to each other, and kills, restarts, stops and continues them, and cuts, refuses,
delays and stalls their connections, as the seed says. In the end it checks that each tensor arrived whole and once, that
each push ended in time with a receipt or a typed exception, and that memory, queue pairs, threads and files came back.

  --seconds N      how long faults happen (60); starting, recovering and checking take about half a minute more
  --seed S         the same seed means the same plan of faults (a random one, which is printed)
  --folder FOLDER  for logs and journals of the processes (a new temporary one)

The last line is
  chaos ok: PUSHES pushes, FAULTS faults, 0 violations
or begins with "chaos FAILED:".
TEXT
}

run_chaos() {
  case ${1:-} in
    -h | --help)
      chaos_usage
      return
      ;;
  esac
  # shellcheck source=scripts/bench.sh
  source scripts/bench.sh
  bench_build
  [[ -n ${JAVA_HOME:-} ]] || need_java
  run "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m \
    -cp "bench/target/classes:$(<bench/target/run.classpath)" io.tensorfabric.bench.chaos.ChaosApplication "$@"
}
