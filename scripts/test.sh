# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev test: everything a change must pass. Ends in Maven's own summary and what failed. With --no-guest and
# --no-containers as the first arguments without the tests in the Soft-RoCE guest and those between containers.

# shellcheck source=scripts/lanes.sh
source scripts/lanes.sh
# shellcheck source=scripts/roce/suite.sh
source scripts/roce/suite.sh
# shellcheck source=scripts/chart.sh
source scripts/chart.sh
# shellcheck source=scripts/containers.sh
source scripts/containers.sh
# shellcheck source=scripts/newcomer.sh
source scripts/newcomer.sh

# Maven says so after the module tensor-service has been packaged and unpacked.
readonly service_is_packaged='failsafe.*integration-test.*tensor-service'

readonly strict_java=25
readonly strict_folder=target/jdk25
# What depends on the JDK: memory outside the heap, atomic access to it, mapped files, sockets.
readonly strict_packages=io/tensorfabric
readonly strict_tests="$strict_packages/offheap/**/*Test,$strict_packages/memory/*Test,$strict_packages/verbs/**/*Test,\
$strict_packages/tensor/**/*Test,$strict_packages/interop/**/*Test,$strict_packages/segments/**/*Test,$strict_packages/transfer/PushTest,$strict_packages/transfer/SoftTransferTest"

# Hold what Java 17 does not have, or what raw memory looks like from an application on later ones.
readonly strict_boot='VirtualThreadsTest,RestartTest,AheadOfTimeTest'

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
  need_browser
  mkdir -p .dev
  rm -rf ./*/target/surefire-reports ./*/target/failsafe-reports ./*/"$strict_folder"/surefire-reports ./*/target/roce-reports
  lanes_open
  lane gates gates "$@"
  lane guest guests "$guest" "$containers" "$@"
  mvn_run verify "$@" 2>&1 | tee "$lanes_maven_log" || failed "Maven's build and tests"
  touch "$lanes_folder/maven-ended"
  gpu_demo "$@"
  lanes_join
  newcomer_step "$@"
  lanes_print
  name_skipped
  say "summary"
  sed -n '/Reactor Summary\|BUILD SUCCESS\|BUILD FAILURE/,$p' "$lanes_maven_log"
  if [[ -s $lanes_folder/failed ]]; then
    sed 's/^/error: failed: /' "$lanes_folder/failed" >&2
    return 1
  fi
  say "test ok: all of it in $SECONDS s"
}

# The test of the page in a browser is skipped without; only root on a machine for builds gets it installed.
need_browser() {
  [[ ! -x /usr/bin/chromium || ! -x /usr/bin/chromedriver ]] || return 0
  if [[ -n ${CI:-} && $(id -u) -eq 0 ]] && have apt-get; then
    (install_packages chromium chromium-driver fonts-dejavu-core) || say "chromium cannot be installed, its test is skipped"
  fi
}

# After the guest's kernel, for which most of the other steps wait.
gates() {
  await_lane guest prepared
  strict_gate "$@"
  boot_gate "$@"
}

# guests GUEST CONTAINERS ARGUMENTS: what runs in the Soft-RoCE guest, then between containers.
guests() {
  local guest=$1 containers=$2
  shift 2
  if [[ -z $guest ]]; then
    touch "$lanes_folder/prepared"
    skipped "$suite_what: --no-guest"
  else
    run_suite "$@"
  fi
  if [[ -z $containers ]]; then
    skipped "$containers_what: --no-containers"
  else
    run_containers
  fi
}

# gpu_demo ARGUMENTS: the demo from GPU to GPU memory, on the stub of the driver where there is none.
gpu_demo() {
  local name='demo from GPU to GPU memory' reason=''
  if ! maven_said "$service_is_packaged"; then
    reason='Maven did not build the module tensor-service'
  elif [[ " $* " == *' -Dnative.skip'* ]]; then
    reason='the build has no native shim'
  elif [[ $(uname -m) != x86_64 ]]; then
    reason="JCuda has no native part for $(uname -m)"
  fi
  if [[ -n $reason ]]; then
    skipped "$name: $reason"
    return
  fi
  # Maven dates it with project.build.outputTimestamp, which is before any source.
  touch "$demo_jar"
  step "$name" run_demo --gpu --size 64MB
}

# newcomer_step ARGUMENTS: two services made as the first page for newcomers says. It packages the modules again, so
# nothing else may run.
newcomer_step() {
  local name='docs/getting-started.md followed to the letter' offline=''
  if ! grep -q 'Tensor Fabric Test .*SUCCESS' "$lanes_maven_log"; then
    skipped "$name: Maven did not build the module fabric-test"
    return
  fi
  [[ " $* " != *' -o '* && " $* " != *' --offline '* ]] || offline=-o
  step "$name" run_newcomer ${offline:+"$offline"}
}

# Error Prone, NullAway and those tests of the core that depend on the JDK on a recent one, which alone has memory segments,
# built beside the ordinary classes.
strict_gate() {
  local name="JDK $strict_java gate (Error Prone, NullAway, fabric-core's tests of memory, verbs and tensors, memory segments)" jdk
  if [[ $(java_release "$JAVA_HOME") -ge $strict_java ]]; then
    say "$name: part of the build, the JDK is recent enough"
    return
  fi
  jdk=$(strict_jdk)
  if [[ -z $jdk ]]; then
    skipped "$name: no JDK $strict_java or later in $jvm_folder, set JAVA25_HOME"
    return
  fi
  JAVA_HOME=$jdk step "$name" strict_build "$@"
}

strict_build() {
  mvn_run -Dbuild.folder="$strict_folder" test-compile "$@" &&
    mvn_run -q -Dbuild.folder="$strict_folder" -pl fabric-core,fabric-interop,fabric-segments test \
      -Dtest="$strict_tests" -Dsurefire.failIfNoSpecifiedTests=false -Dtest.forks=1 &&
    mvn_run -q -Dbuild.folder="$strict_folder" -pl fabric-autoconfigure -am test -Dtest="$strict_boot" -Dtest.forks=1 \
      -Dsurefire.failIfNoSpecifiedTests=false
}

# The oldest Spring Boot that applications may have, built beside the ordinary classes; not for a build of chosen modules.
boot_gate() {
  local option
  for option in "$@"; do
    [[ $option != -pl* && $option != --projects* ]] || return 0
  done
  step "Spring Boot 4.0 gate (the auto-configuration's and fabric-test's main tests)" \
    mvn_run -q -Pboot-4.0 -Dnative.skip -pl fabric-autoconfigure,fabric-test -am test -Dtest="$boot_tests" \
    -Dsurefire.failIfNoSpecifiedTests=false -Dtest.forks=1 "$@"
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
  local reports tests=''
  reports=$(compgen -G './*/target/*-reports/TEST-*.xml' || true)
  if [[ -n $reports ]]; then
    # shellcheck disable=SC2086
    tests=$(awk -f scripts/skipped.awk $reports)
  fi
  [[ ! -s $lanes_folder/skipped ]] || sed 's/^/==> skipped: /' "$lanes_folder/skipped"
  if [[ -n $tests ]]; then
    printf '%s\n' "$tests"
  elif [[ ! -s $lanes_folder/skipped ]]; then
    say "skipped: no test"
  fi
}
