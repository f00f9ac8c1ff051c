#!/bin/sh
# Builds the STUB of the CUDA driver, for tests and demonstrations on machines without a GPU.
# usage: build.sh OUTPUT_FOLDER JAVA_HOME
set -eu
source=$(cd "$(dirname "$0")" && pwd)
output=$1
java_home=$2
mkdir -p "$output"
"${CC:-gcc}" -std=gnu17 -O2 -g -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared -pthread \
  -I"$java_home/include" -I"$java_home/include/linux" \
  -Wl,-soname,libcuda.so.1 -o "$output/libcuda.so.1.$$" \
  "$source/driver.c" "$source/memory.c" "$source/share.c" "$source/stream.c" "$source/control.c" \
  "$source/unsupported.c"
mv "$output/libcuda.so.1.$$" "$output/libcuda.so.1"
