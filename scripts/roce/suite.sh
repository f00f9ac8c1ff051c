# shellcheck shell=bash disable=SC2154 # names from lib.sh and roce.sh
# The tests of the native provider in the Soft-RoCE guest, with JNI checked: contract and random operations. A part of
# ./dev test, after Maven has built the classes.

# shellcheck source=scripts/roce.sh
source scripts/roce.sh

readonly suite_classes=(
  io.tensorfabric.verbs.ibverbs.IbverbsVerbsContractTest
  io.tensorfabric.verbs.ibverbs.RandomOperationsTest
)
readonly suite_log=.dev/roce-suite.log
# Where name_skipped looks.
readonly suite_reports=native/target/roce-reports
readonly suite_slowness=${ROCE_SLOWNESS:-3}

# suite_reason LOG ARGUMENTS: why the suite is left out, given Maven's log and arguments; nothing when it can run.
suite_reason() {
  if [[ " $* " == *' -Dnative.skip'* ]]; then
    printf 'the build has no native shim'
  elif ! grep -q 'Tensor Fabric Native .*SUCCESS' "$1"; then
    printf 'Maven did not build the module native'
  else
    roce_unavailable
  fi
}

# run_suite LOG ARGUMENTS: sets skipped_suite to a reason when it is left out.
run_suite() {
  local reason status=0
  reason=$(suite_reason "$@")
  if [[ -n $reason ]]; then
    # shellcheck disable=SC2034 # for name_skipped
    skipped_suite="Soft-RoCE suite (verbs contract and random operations on ibverbs): $reason"
    return 0
  fi
  say "Soft-RoCE suite: verbs contract and random operations on ibverbs in a guest"
  rm -rf .dev/roce-reports "$suite_reports"
  (suite_in_guest) 2>&1 | tee "$suite_log" || status=$?
  if [[ -d .dev/roce-reports ]]; then
    mv .dev/roce-reports "$suite_reports"
  fi
  if grep -q 'WARNING in native method\|FATAL ERROR in native method' "$suite_log"; then
    printf 'error: -Xcheck:jni complains, see %s\n' "$suite_log" >&2
    status=1
  fi
  return "$status"
}

suite_in_guest() {
  local classes=() class
  for class in "${suite_classes[@]}"; do
    classes+=(--select-class "$class")
  done
  export CALLER_FOLDER=$PWD
  run_roce --timeout 900 -- java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx1g -Xcheck:jni \
    -Dverbs.contract.slowness="$suite_slowness" \
    -cp "native/target/classes:native/target/test-classes:$(<native/target/test.classpath)" \
    org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=summary \
    --reports-dir="$PWD/.dev/roce-reports" --fail-if-no-tests "${classes[@]}"
}
