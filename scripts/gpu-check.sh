# shellcheck shell=bash
# ./dev gpu-check: GPU memory against the CUDA driver of this machine, then the demo from GPU to GPU.
#
# --pack FOLDER puts all that the check needs, a Java runtime included, into a folder that runs on a machine without
# network: FOLDER/gpu-check.

gpu_check_usage() {
  cat <<'TEXT'
usage: ./dev gpu-check [--pack FOLDER] [--stub]

Checks devices, the path to a verbs device, a dma-buf, copies, the order with a stream, the speed of staging and CUDA IPC
with another process, prints one table and then runs the demo with --gpu. Its last line is "gpu ok".

  --pack FOLDER  make a self-contained folder instead, to be copied to a machine with a GPU: run FOLDER/gpu-check there
  --stub         use the stub of the driver on purpose, which checks the check and no GPU
TEXT
}

gpu_check_pack() {
  local folder=$1
  [[ ! -e $folder ]] || die "$folder exists already"
  say "packing a Java runtime and the service into $folder"
  mkdir -p "$folder"
  "$JAVA_HOME/bin/jlink" --add-modules java.se,jdk.unsupported,jdk.crypto.ec,jdk.zipfs --strip-debug --no-man-pages \
    --no-header-files --compress=2 --output "$folder/runtime" >/dev/null
  mkdir "$folder/scripts"
  cp scripts/lib.sh scripts/demo.sh scripts/gpu-check.sh "$folder/scripts/"
  cp "$demo_jar" "$folder/"
  cat >"$folder/gpu-check" <<'SCRIPT'
#!/usr/bin/env bash
# Checks GPU memory against the CUDA driver of this machine. Needs bash and what lies in this folder.
set -euo pipefail
export CALLER_FOLDER=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
export JAVA_HOME=$PWD/runtime DEMO_PACKED=$PWD/tensor-service.jar
# shellcheck source=/dev/null
source scripts/lib.sh
# shellcheck source=/dev/null
source scripts/demo.sh
# shellcheck source=/dev/null
source scripts/gpu-check.sh
gpu_check_here
SCRIPT
  chmod +x "$folder/gpu-check"
}

# The table, then the demo. Says so when the driver is the stub.
gpu_check_here() {
  local table status=0
  table=$("$JAVA_HOME/bin/java" -Dloader.main=io.tensorfabric.service.demo.GpuCheck -cp "$demo_jar" \
    org.springframework.boot.loader.launch.PropertiesLauncher </dev/null) || status=$?
  printf '%s\n' "$table"
  [[ $status -eq 0 ]] || die "the check failed"
  (run_demo --gpu --size 64MB) || die "the demo with --gpu failed"
  [[ $table != *'(no hardware)'* ]] || say "this was the STUB of the driver: no GPU took part"
  printf 'gpu ok\n'
}

run_gpu-check() {
  local pack='' stub=''
  while [[ $# -gt 0 ]]; do
    case $1 in
      --pack)
        [[ $# -ge 2 ]] || die "--pack needs a folder"
        pack=$2
        [[ $pack == /* ]] || pack=$CALLER_FOLDER/$pack
        shift
        ;;
      --stub) stub=yes ;;
      -h | --help)
        gpu_check_usage
        exit 0
        ;;
      *)
        gpu_check_usage >&2
        die "unknown option of gpu-check: $1"
        ;;
    esac
    shift
  done
  # shellcheck source=scripts/demo.sh
  source scripts/demo.sh
  demo_build
  need_java
  if [[ -n $pack ]]; then
    gpu_check_pack "$pack"
    say "packed: run $pack/gpu-check on the machine with the GPU"
    return
  fi
  if ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    [[ -z $stub ]] || die "this machine has a CUDA driver: leave out --stub"
  elif [[ -n $stub ]]; then
    demo_prepare_gpu
  else
    die "no CUDA driver (libcuda.so.1) on this machine; --pack makes a folder to run on one that has it"
  fi
  gpu_check_here
}
