#!/bin/sh
# Builds the shim with CMake, for this machine and, where a cross compiler is at hand, for aarch64.
# usage: build.sh BUILD_FOLDER OUTPUT_FOLDER VERSION JAVA_HOME [TEST: true or false]
set -eu

source=$(cd "$(dirname "$0")" && pwd)
build=$1
output=$2
version=$3
java_home=$4
test=${5:-false}

fail() {
  printf 'error: %s\n' "$1" >&2
  printf 'The native verbs shim needs cmake, gcc and the headers of libibverbs:\n' >&2
  printf '  apt-get install cmake gcc make libibverbs-dev\n' >&2
  printf 'or build without it, for the software device only: -Dnative.skip\n' >&2
  exit 1
}

# build_for PLATFORM [COMPILER]
build_for() {
  platform=$1
  compiler=${2:-}
  folder=$build/$platform
  set -- -S "$source" -B "$folder" -DTF_VERSION="$version" -DTF_JAVA_HOME="$java_home"
  if [ -n "$compiler" ]; then
    set -- "$@" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${platform#linux-}" -DCMAKE_C_COMPILER="$compiler"
  else
    set -- "$@" -DTF_TEST="$test"
  fi
  mkdir -p "$folder" "$output/$platform"
  { cmake "$@" && cmake --build "$folder"; } >"$folder/build.log" 2>&1 || {
    cat "$folder/build.log" >&2
    fail "the native verbs shim for $platform did not build, see above"
  }
  cp "$folder/libtensorfabric_verbs-$version.so" "$output/$platform/"
}

for tool in cmake "${CC:-gcc}" make; do
  command -v "$tool" >/dev/null 2>&1 || fail "$tool is missing"
done
[ -f "$java_home/include/jni.h" ] || fail "$java_home is no JDK: it has no include/jni.h"
printf '#include <infiniband/verbs.h>\n' | "${CC:-gcc}" -E - >/dev/null 2>&1 || fail "infiniband/verbs.h is missing"

case $(uname -m) in
  x86_64 | amd64) machine=x86_64 ;;
  arm64) machine=aarch64 ;;
  *) machine=$(uname -m) ;;
esac
build_for "linux-$machine"
cross=aarch64-linux-gnu-gcc
if [ "$machine" != aarch64 ] && command -v "$cross" >/dev/null 2>&1; then
  build_for linux-aarch64 "$cross"
fi
