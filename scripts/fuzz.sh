# shellcheck shell=bash
# ./dev fuzz: coverage-guided search for inputs that break a reader of foreign bytes, with Jazzer.

readonly jazzer_version=0.24.0
readonly fuzz_folder=target/fuzz

# Name, module and class of each target. Recorded inputs lie in MODULE/src/test/resources/fuzz/NAME.
readonly fuzz_targets="
safetensors        fabric-core          io.tensorfabric.tensor.safetensors.SafetensorsFuzz
message-headers    fabric-core          io.tensorfabric.connection.MessageHeaderFuzz
transfer-messages  fabric-core          io.tensorfabric.transfer.TransferMessagesFuzz
soft-wire          fabric-core          io.tensorfabric.verbs.soft.SoftWireFuzz
negotiation        fabric-autoconfigure io.tensorfabric.autoconfigure.negotiation.NegotiationFuzz
"

fuzz_usage() {
  cat <<TEXT
usage: ./dev fuzz [--seconds N] [--target NAME]

  --seconds N    how long to search in each target (default 60)
  --target NAME  one target only: $(awk 'NF { printf "%s ", $1 }' <<<"$fuzz_targets")

Searches from the recorded inputs in src/test/resources/fuzz on, and from what earlier runs kept in $fuzz_folder. An input
that breaks something is printed; record it and mend what it breaks: "./dev test" runs every recorded input.
TEXT
}

fuzz_build() {
  say "building the targets"
  mvn_run -q -pl fabric-core,fabric-autoconfigure -am -Dnative.skip test-compile dependency:build-classpath \
    -Dmdep.outputFile="$fuzz_folder/classpath" -Dmdep.includeScope=test
  local artifact
  for artifact in jazzer jazzer-api; do
    [[ -f $fuzz_folder/jazzer/$artifact-$jazzer_version.jar ]] && continue
    mvn_run -q -N dependency:copy -Dartifact="com.code-intelligence:$artifact:$jazzer_version" \
      -DoutputDirectory="$PWD/$fuzz_folder/jazzer"
  done
  printf '<configuration><root level="OFF"/></configuration>\n' >"$fuzz_folder/logback.xml"
}

# Searches in target $1 of module $2 with class $3; adds to fuzz_executions, and to fuzz_findings when something breaks.
fuzz_one() {
  local name=$1 module=$2 class=$3 log=$fuzz_folder/$1.log findings=$PWD/$fuzz_folder/findings/$1 executions
  mkdir -p "$fuzz_folder/corpus/$name" "$findings"
  say "$name: $seconds s"
  local -a command=("$JAVA_HOME/bin/java" -Xmx1g "-Dlogback.configurationFile=$PWD/$fuzz_folder/logback.xml"
    -cp "$fuzz_folder/jazzer/*:$module/target/test-classes:$module/target/classes:$(<"$module/$fuzz_folder/classpath")"
    com.code_intelligence.jazzer.Jazzer "--target_class=$class" "--instrumentation_includes=io.tensorfabric.**"
    # The software device connects to itself, which is no request forged by an input.
    --disabled_hooks=com.code_intelligence.jazzer.sanitizers.ServerSideRequestForgery
    "--reproducer_path=$findings" "-artifact_prefix=$findings/" "-max_total_time=$seconds" -max_len=4096 -timeout=60
    -print_final_stats=1 "$fuzz_folder/corpus/$name" "$module/src/test/resources/fuzz/$name")
  if ! "${command[@]}" >"$log" 2>&1 </dev/null; then
    fuzz_findings=$((fuzz_findings + 1))
    grep -E -A 12 -m 1 '^== |ERROR: ' "$log" || tail -n 20 "$log" | cut -c1-300
    if [[ -z $(ls -A "$findings") ]]; then
      die "the target $name did not run, see $log"
    fi
    say "the input is in $findings: copy it to $module/src/test/resources/fuzz/$name"
  fi
  executions=$(awk '$1 == "stat::number_of_executed_units:" { print $2 }' "$log")
  grep -E '^#.* cov: ' "$log" | tail -n 1 || true
  fuzz_executions=$((fuzz_executions + ${executions:-0}))
  fuzz_count=$((fuzz_count + 1))
}

run_fuzz() {
  local seconds=60 only="" name module class
  while [[ $# -gt 0 ]]; do
    case $1 in
      --seconds | --target)
        [[ $# -ge 2 ]] || die "$1 needs a value"
        if [[ $1 == --seconds ]]; then seconds=$2; else only=$2; fi
        shift 2
        ;;
      -h | --help)
        fuzz_usage
        return
        ;;
      *) die "unknown option: $1 (see ./dev fuzz --help)" ;;
    esac
  done
  [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "--seconds takes a whole number, not $seconds"
  need_maven
  mkdir -p "$fuzz_folder"
  fuzz_build
  fuzz_count=0 fuzz_executions=0 fuzz_findings=0
  while read -r name module class; do
    [[ -n $name && ( -z $only || $only == "$name" ) ]] || continue
    fuzz_one "$name" "$module" "$class"
  done <<<"$fuzz_targets"
  [[ $fuzz_count -gt 0 ]] || die "there is no target $only"
  if [[ $fuzz_findings -gt 0 ]]; then
    printf 'fuzz FAILED: %d of %d targets broke\n' "$fuzz_findings" "$fuzz_count"
    return 1
  fi
  printf 'fuzz ok: %d targets, %d executions, 0 findings\n' "$fuzz_count" "$fuzz_executions"
}
