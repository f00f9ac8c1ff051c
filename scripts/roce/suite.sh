# shellcheck shell=bash disable=SC2154 # names from lib.sh, roce.sh and demo.sh
# The tests that need RDMA devices, in the Soft-RoCE guest. A part of ./dev test, beside Maven's own tests.
#
# The engine is uml, on which they take a tenth of the time that they take on qemu, so that the once that its kernel is
# built for pays at once. ROCE_ENGINE=qemu takes the other one.

# shellcheck source=scripts/roce.sh
source scripts/roce.sh
# shellcheck source=scripts/demo.sh
source scripts/demo.sh
# shellcheck source=scripts/chaos.sh
source scripts/chaos.sh

readonly suite_what="Soft-RoCE suite (verbs contract, random operations, demo and killed peer on ibverbs)"
# What Maven says when it has built them.
readonly suite_native_is_built='Building Tensor Fabric Spring Boot Auto-configuration'
readonly suite_bench_is_built='failsafe.*integration-test.*fabric-bench'
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
  io.tensorfabric.service.it.PublishedTensorIT
  io.tensorfabric.service.it.StartUpFaultsIT
)

# Why the suite is left out, given Maven's arguments; nothing when it can run.
suite_reason() {
  if [[ " $* " == *' -Dnative.skip'* ]]; then
    printf 'the build has no native shim'
  elif [[ " $* " == *' -pl'* || " $* " == *' --projects'* ]]; then
    printf 'only chosen modules are built'
  else
    roce_unavailable
  fi
}

# run_suite ARGUMENTS: steps of a lane, each as soon as Maven has built what it runs.
run_suite() {
  local reason
  reason=$(suite_reason "$@")
  if [[ -n $reason ]]; then
    touch "$lanes_folder/prepared"
    skipped "$suite_what: $reason"
    return 0
  fi
  CALLER_FOLDER=$PWD
  rm -rf "$suite_guest_reports"
  suite_prepare
  touch "$lanes_folder/prepared"
  suite_part "$suite_native_is_built" "verbs contract and random operations on ibverbs" suite_verbs_in_guest
  suite_part "$suite_native_is_built" "test program of the shim, with sanitizers" suite_shim_in_guest
  suite_part "$service_is_packaged" "killed peer, faults at the start of a service, GPU memory staged on the stub of the driver" \
    suite_service_in_guest
  suite_part "$service_is_packaged" "demo" suite_demo_in_guest
  suite_part "$suite_bench_is_built" "faults under load" suite_chaos_in_guest
  suite_keep_reports native tensor-service
}

suite_prepare() {
  local engine
  for engine in qemu "$suite_engine"; do
    ./dev roce --engine "$engine" --prepare || failed "Soft-RoCE guest: preparing $engine"
  done
}

# suite_part PATTERN WHAT FUNCTION: a step, when Maven's output has the pattern.
suite_part() {
  if maven_said "$1"; then
    step "Soft-RoCE guest: $2" "$3"
  else
    skipped "Soft-RoCE guest: $2: Maven did not build what it runs"
  fi
}

suite_verbs_in_guest() {
  local log=$lanes_folder/verbs.txt
  suite_launch native "${#suite_verbs[@]}" "${suite_verbs[@]}" -Xcheck:jni -Dverbs.contract.slowness="$suite_slowness" 2>&1 |
    tee "$log" || return
  if grep -q 'WARNING in native method\|FATAL ERROR in native method' "$log"; then
    printf 'error: -Xcheck:jni complains, see above\n' >&2
    return 1
  fi
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
  # Maven dates it before any source.
  touch "$demo_jar"
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
