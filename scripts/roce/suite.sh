# shellcheck shell=bash disable=SC2154 # names from lib.sh, roce.sh and demo.sh
# The tests that need RDMA devices, in the Soft-RoCE guest. A part of ./dev test, after Maven has built the classes.
#
# The engine is uml, on which they take a tenth of the time that they take on qemu, so that the once that its kernel is
# built for pays at once. ROCE_ENGINE=qemu takes the other one.

# shellcheck source=scripts/roce.sh
source scripts/roce.sh
# shellcheck source=scripts/demo.sh
source scripts/demo.sh
# shellcheck source=scripts/chaos.sh
source scripts/chaos.sh

readonly suite_log=$PWD/.dev/roce-suite.log
readonly suite_guest_reports=$PWD/.dev/roce-reports
readonly suite_engine=${ROCE_ENGINE:-uml}
# The contract's waits are this much longer than on a machine of one's own.
readonly suite_slowness=${ROCE_SLOWNESS:-4}
readonly suite_verbs=(
  io.tensorfabric.verbs.ibverbs.IbverbsVerbsContractTest
  io.tensorfabric.verbs.ibverbs.RandomOperationsTest
)
readonly suite_service=(
  io.tensorfabric.service.it.RdmaDeviceIT
  io.tensorfabric.service.it.GpuStagingIT
  io.tensorfabric.service.it.KilledPeerIT
  io.tensorfabric.service.it.LinkFaultsIT
  io.tensorfabric.service.it.StartUpFaultsIT
)

# suite_reason LOG ARGUMENTS: why the suite is left out, given Maven's log and arguments; nothing when it can run.
suite_reason() {
  if [[ " $* " == *' -Dnative.skip'* ]]; then
    printf 'the build has no native shim'
  elif ! grep -q 'Tensor Fabric Reference Service .*SUCCESS' "$1"; then
    printf 'Maven did not build the module tensor-service'
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
    skipped_suite="Soft-RoCE suite (verbs contract, random operations, demo and killed peer on ibverbs): $reason"
    return 0
  fi
  CALLER_FOLDER=$PWD
  rm -rf "$suite_guest_reports"
  : >"$suite_log"
  suite_part "verbs contract and random operations on ibverbs" suite_verbs_in_guest || status=$?
  if grep -q 'WARNING in native method\|FATAL ERROR in native method' "$suite_log"; then
    printf 'error: -Xcheck:jni complains, see %s\n' "$suite_log" >&2
    status=1
  fi
  suite_part "test program of the shim, with sanitizers" suite_shim_in_guest || status=$?
  suite_part "killed peer, faults at the start of a service, GPU memory staged on the stub of the driver" suite_service_in_guest || status=$?
  suite_part "faults under load" suite_chaos_in_guest || status=$?
  suite_part "demo" suite_demo_in_guest || status=$?
  suite_keep_reports native tensor-service
  return "$status"
}

suite_part() {
  local status=0
  say "Soft-RoCE guest: $1"
  ("$2") 2>&1 | tee -a "$suite_log" || status=$?
  return "$status"
}

suite_verbs_in_guest() {
  suite_launch native "${#suite_verbs[@]}" "${suite_verbs[@]}" -Xcheck:jni -Dverbs.contract.slowness="$suite_slowness"
}

# On qemu whatever the engine: the address sanitizer needs more address space than a process has on uml.
suite_shim_in_guest() {
  run_roce --engine qemu --timeout 300 -- "native/target/native/linux-$(uname -m)/shim_test"
}

# JNI is checked in the parts above; the services run without, as users run them.
suite_service_in_guest() {
  need_java
  demo_unpack
  suite_launch tensor-service "${#suite_service[@]}" "${suite_service[@]}" -Dservice.guest=true \
    -Dservice.jar="$demo_unpacked/tensor-service.jar" -Dservice.jvm="${demo_guest_jvm[*]}" \
    -Dservice.killed.bytes=$((128 << 20)) \
    -Dservice.options.a="--fabric.provider=verbs --fabric.device=rxe0" \
    -Dservice.options.b="--fabric.provider=verbs --fabric.device=rxe1"
}

# Half a minute in which this seed lets each kind of fault happen.
suite_chaos_in_guest() {
  ROCE_ENGINE=$suite_engine
  run_chaos --roce --seconds 25 --seed 20
}

suite_demo_in_guest() {
  ROCE_ENGINE=$suite_engine
  run_demo --roce --size 16MB
}

# suite_launch MODULE COUNT CLASSES... JVM-OPTIONS...: runs test classes of a module in the guest, in its folder.
suite_launch() {
  local module=$1 count=$2 classes=() class
  shift 2
  for class in "${@:1:count}"; do
    classes+=(--select-class "$class")
  done
  shift "$count"
  run_roce --engine "$suite_engine" --timeout 1200 -- env --chdir="$PWD/$module" \
    java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m "$@" \
    -cp "target/classes:target/test-classes:$(<"$module/target/test.classpath")" \
    org.junit.platform.console.ConsoleLauncher execute --disable-banner --disable-ansi-colors --details=summary \
    --reports-dir="$suite_guest_reports/$module" --fail-if-no-tests "${classes[@]}"
}

# Puts the reports where name_skipped looks.
suite_keep_reports() {
  local module
  for module in "$@"; do
    rm -rf "$module/target/roce-reports"
    if [[ -d $suite_guest_reports/$module ]]; then
      mv "$suite_guest_reports/$module" "$module/target/roce-reports"
    fi
  done
}
