# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev test: everything a change must pass. Ends in Maven's own summary. With --no-guest and --no-containers as the first
# arguments without the tests in the Soft-RoCE guest and those between containers.

# shellcheck source=scripts/roce/suite.sh
source scripts/roce/suite.sh
# shellcheck source=scripts/chart.sh
source scripts/chart.sh
# shellcheck source=scripts/containers.sh
source scripts/containers.sh
# shellcheck source=scripts/newcomer.sh
source scripts/newcomer.sh

readonly strict_java=25
readonly strict_folder=target/jdk25
# They wait for deadlines most of the time, which are the same on every JDK.
readonly strict_patient='!LateWriteTest,!ReconnectTest,!RecoveryTest,!TeardownTest,!StormTest,!EvictionTest,!GpuTransferTest'

# Hold what differs between versions of Spring Boot: conditions, beans, web server, Actuator, test support.
readonly boot_tests='FabricAutoConfigurationTest,AbsentLibrariesTest,StartFailuresTest,Listener*Test,EndToEndTest,TestFabricTest'

run_test() {
  local guest=yes containers=yes
  while [[ ${1:-} == --no-guest || ${1:-} == --no-containers ]]; do
    if [[ $1 == --no-guest ]]; then guest=''; else containers=''; fi
    shift
  done
  say "building, checking and testing all modules"
  need_maven
  need_native "$@"
  need_promtool
  mkdir -p .dev
  rm -rf ./*/target/surefire-reports ./*/target/failsafe-reports ./*/"$strict_folder"/surefire-reports
  local log=.dev/test.log status=0
  strict_gate "$@" || status=$?
  boot_gate "$@" || status=$?
  mvn_run verify "$@" 2>&1 | tee "$log" || status=$?
  gpu_demo "$log" "$@" || gpu_demo_failed=yes
  newcomer_step "$log" "$@" || newcomer_failed=yes
  if [[ -n $guest ]]; then
    run_suite "$log" "$@" || suite_failed=yes
  else
    skipped_suite="Soft-RoCE suite (verbs contract, random operations, demo and killed peer on ibverbs): --no-guest"
  fi
  if [[ -n $containers ]]; then
    run_containers "$log" || containers_failed=yes
  else
    skipped_containers="$containers_what: --no-containers"
  fi
  name_skipped
  say "summary"
  sed -n '/Reactor Summary\|BUILD SUCCESS\|BUILD FAILURE/,$p' "$log"
  if [[ -n ${strict_failed:-} ]]; then
    printf 'error: the JDK %s gate failed, see above\n' "$strict_java" >&2
  fi
  if [[ -n ${gpu_demo_failed:-} ]]; then
    printf 'error: the demo from GPU to GPU memory failed, see above\n' >&2
    status=1
  fi
  if [[ -n ${newcomer_failed:-} ]]; then
    printf 'error: what docs/getting-started.md says does not work, see above\n' >&2
    status=1
  fi
  if [[ -n ${boot_failed:-} ]]; then
    printf 'error: the Spring Boot 4.0 gate failed, see above\n' >&2
  fi
  if [[ -n ${suite_failed:-} ]]; then
    printf 'error: the Soft-RoCE suite failed, see %s\n' "$suite_log" >&2
    status=1
  fi
  if [[ -n ${containers_failed:-} ]]; then
    printf 'error: the tests between containers failed, see %s\n' "$containers_log" >&2
    status=1
  fi
  return "$status"
}

# gpu_demo LOG ARGUMENTS: the demo from GPU to GPU memory, on the stub of the driver where there is none.
gpu_demo() {
  local reason=''
  if ! grep -q 'Tensor Fabric Reference Service .*SUCCESS' "$1"; then
    reason='Maven did not build the module tensor-service'
  elif [[ " $* " == *' -Dnative.skip'* ]]; then
    reason='the build has no native shim'
  elif [[ $(uname -m) != x86_64 ]]; then
    reason="JCuda has no native part for $(uname -m)"
  fi
  if [[ -n $reason ]]; then
    skipped_gpu_demo="demo from GPU to GPU memory: $reason"
    return
  fi
  # Maven dates it with project.build.outputTimestamp, which is before any source.
  touch "$demo_jar"
  (run_demo --gpu --size 64MB)
}

# newcomer_step LOG ARGUMENTS: two services made as the first page for newcomers says.
newcomer_step() {
  local offline=''
  if ! grep -q 'Tensor Fabric Test .*SUCCESS' "$1"; then
    skipped_newcomer='docs/getting-started.md followed to the letter: Maven did not build the module fabric-test'
    return
  fi
  [[ " $* " != *' -o '* && " $* " != *' --offline '* ]] || offline=-o
  (run_newcomer ${offline:+"$offline"})
}

# Error Prone, NullAway and most of the core's tests on a recent JDK, which alone has memory segments, built beside the ordinary classes.
strict_gate() {
  local jdk
  if [[ $(java_release "$JAVA_HOME") -ge $strict_java ]]; then
    say "JDK $strict_java gate: part of the build, the JDK is recent enough"
    return
  fi
  jdk=$(strict_jdk)
  if [[ -z $jdk ]]; then
    skipped_gate="JDK $strict_java gate (Error Prone, NullAway, most of fabric-core's tests and memory segments on JDK $strict_java):"
    skipped_gate+=" no JDK $strict_java or later in $jvm_folder, set JAVA25_HOME"
    return
  fi
  say "JDK $strict_java gate: Error Prone, NullAway, most of fabric-core's tests, memory segments, with $jdk"
  JAVA_HOME=$jdk mvn_run -q -Dbuild.folder="$strict_folder" test-compile "$@" &&
    JAVA_HOME=$jdk mvn_run -q -Dbuild.folder="$strict_folder" -pl fabric-core,fabric-interop,fabric-segments test \
      -Dtest="$strict_patient" && return
  strict_failed=yes
  return 1
}

# The oldest Spring Boot that applications may have, built beside the ordinary classes; not for a build of chosen modules.
boot_gate() {
  local option
  for option in "$@"; do
    [[ $option != -pl* && $option != --projects* ]] || return 0
  done
  say "Spring Boot 4.0 gate: the auto-configuration's and fabric-test's main tests"
  mvn_run -q -Pboot-4.0 -Dnative.skip -pl fabric-autoconfigure,fabric-test -am test -Dtest="$boot_tests" \
    -Dsurefire.failIfNoSpecifiedTests=false "$@" && return
  boot_failed=yes
  return 1
}

strict_jdk() {
  local folder
  for folder in ${JAVA25_HOME:+"$JAVA25_HOME"} "$jvm_folder"/*; do
    if [[ $(java_release "$folder") -ge $strict_java ]]; then
      printf '%s' "$folder"
      return
    fi
  done
}

name_skipped() {
  local reports skipped=''
  reports=$(compgen -G './*/target/*-reports/TEST-*.xml' || true)
  if [[ -n $reports ]]; then
    # shellcheck disable=SC2086
    skipped=$(awk -f scripts/skipped.awk $reports)
  fi
  [[ -z ${skipped_gate:-} ]] || say "skipped: $skipped_gate"
  [[ -z ${skipped_gpu_demo:-} ]] || say "skipped: $skipped_gpu_demo"
  [[ -z ${skipped_newcomer:-} ]] || say "skipped: $skipped_newcomer"
  [[ -z ${skipped_suite:-} ]] || say "skipped: $skipped_suite"
  [[ -z ${skipped_containers:-} ]] || say "skipped: $skipped_containers"
  if [[ -n $skipped ]]; then
    printf '%s\n' "$skipped"
  else
    say "skipped: no test"
  fi
}
