# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev bench: the program io.tensorfabric.bench.BenchApplication, where the benchmark has its devices.

readonly bench_home=$PWD
readonly bench_ucx_folder=$PWD/.dev/ucx
# Arrow looks into direct buffers, and the Netty below it into the JDK.
readonly bench_jvm=(-XX:+UseSerialGC -Xmx2g --add-opens=java.base/java.nio=ALL-UNNAMED -Dio.netty.noUnsafe=false)

bench_usage() {
  cat <<'TEXT'
usage: ./dev bench COMMAND [OPTIONS]

  push   our pushes to another process: bandwidth, latency and cost by size; with --under-load small ones beside a
         large one; with --gpu in GPU memory, of a STUB of the CUDA driver where there is none
  tune   the settings with which bandwidth to a peer stops growing
  peers  our pushes beside plain sockets, gRPC, Arrow Flight, Spring's RestClient and UCX (by JUCX), between two processes
         on this machine
  roce   our pushes beside ib_write_bw and ib_write_lat on the two devices of the Soft-RoCE guest
         --engine NAME  qemu: two processors, code runs some ten times slower than on this machine
                        uml: one processor, so perftest, whose two ends poll, waits for time slices (uml)
         --kernel-clock on uml, have our processes ask its kernel for the time, which takes a system call there and
                        nowhere else; without it they read the processor's time stamp counter, as perftest does
  jni    posting and polling through the JNI shim beside a C loop, both on a STUB of libibverbs
  idle   a node with 1, 10 and 100 connected peers that are idle: processor time, memory of each, and latency of pushes to
         one of them beside the others

Other options go to the program: "./dev bench COMMAND --help" lists them. The last lines of a comparison are
  ratio NAME SIZE X
ours divided by theirs.
TEXT
}

bench_build() {
  local jar=bench/target/run.classpath
  if [[ -f $jar && -z $(find pom.xml ./*/pom.xml ./*/src/main -newer "$jar" -type f -print -quit) ]]; then
    return
  fi
  say "building the benchmarks"
  need_maven
  need_native
  mvn_run -q package -DskipTests -pl bench -am
  touch "$jar"
}

# The program's own list of options needs no guest.
bench_help() {
  bench_usage
  printf '\nOptions of the program:\n\n'
  bench_build >&2
  [[ -n ${JAVA_HOME:-} ]] || need_java >&2
  "$JAVA_HOME/bin/java" -cp "bench/target/classes:$(<bench/target/run.classpath)" io.tensorfabric.bench.BenchApplication \
    "$1" --help
}

# The libraries that JUCX needs, from Debian's packages, unpacked and not installed. Without them the benchmark says what is
# missing and measures the rest.
bench_ucx() {
  local deb
  if ldconfig -p 2>/dev/null | grep -q 'libucp\.so\.0'; then
    return
  elif [[ ! -d $bench_ucx_folder/usr ]]; then
    have apt-get && have dpkg-deb || return 0
    say "unpacking UCX into $bench_ucx_folder"
    mkdir -p "$bench_ucx_folder/debs"
    (cd "$bench_ucx_folder/debs" && apt-get -qq -o APT::Sandbox::User=root download libucx0 libnuma1 librdmacm1 \
      libibverbs1 libnl-3-200 libnl-route-3-200) || return 0
    for deb in "$bench_ucx_folder"/debs/*.deb; do
      dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$bench_ucx_folder" ./usr ./lib 2>/dev/null || true
    done
    rm -rf "$bench_ucx_folder/debs"
  fi
  local library
  library=$(find "$bench_ucx_folder" -name libucp.so.0 -print -quit)
  [[ -n $library ]] || return 0
  # Behind the machine's own, so that only what is missing comes from here.
  LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(dirname "$library")
  export LD_LIBRARY_PATH
}

# Builds the stub of libibverbs and the C loop, and has programs find the stub before the machine's own library.
bench_jni() {
  local folder=bench/target/jni source=bench/src/main/c
  local flags=(-std=c17 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE)
  need_native
  mkdir -p "$folder"
  "${CC:-gcc}" "${flags[@]}" -fPIC -shared -fvisibility=hidden -Wl,-soname,libibverbs.so.1 -pthread \
    -o "$folder/libibverbs.so.1" "$source/stub_verbs.c"
  "${CC:-gcc}" "${flags[@]}" -o "$folder/post_loop" "$source/post_loop.c" "$folder/libibverbs.so.1"
  export LD_LIBRARY_PATH=$bench_home/$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# bench_here NAME OPTIONS: a benchmark on this machine.
bench_here() {
  bench_build
  [[ -n ${JAVA_HOME:-} ]] || need_java
  if [[ $1 == peers ]]; then
    bench_ucx
    # Segments of the usual 8 KiB make UCX slow over TCP from 1 MiB on.
    export UCX_TCP_TX_SEG_SIZE=1m UCX_TCP_RX_SEG_SIZE=1m UCX_WARN_UNUSED_ENV_VARS=n
  fi
  if [[ " $* " == *' --gpu '* ]]; then
    # shellcheck source=scripts/demo.sh
    source scripts/demo.sh
    demo_prepare_gpu
  fi
  cd "$CALLER_FOLDER" || return
  "$JAVA_HOME/bin/java" "${bench_jvm[@]}" -cp "$bench_home/bench/target/classes:$(<"$bench_home/bench/target/run.classpath")" \
    io.tensorfabric.bench.BenchApplication "$@"
}

# Builds a clock for the guest's programs that reads the time stamp counter; prints nothing where there is none to rely on.
bench_clock() {
  local folder=bench/target/roce
  grep -qw constant_tsc /proc/cpuinfo || return 0
  need_native >&2
  mkdir -p "$folder"
  "${CC:-gcc}" -std=c17 -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared -fvisibility=hidden -pthread \
    -o "$folder/libtsc_clock.so" bench/src/main/c/tsc_clock.c
  printf '%s' "$bench_home/$folder/libtsc_clock.so"
}

bench_roce() {
  local engine=uml kernel_clock='' clock='' preload=()
  if [[ " $* " == *' --help '* || " $* " == *' -h '* ]]; then
    bench_help roce
    return
  fi
  while [[ ${1:-} == --engine || ${1:-} == --kernel-clock ]]; do
    if [[ $1 == --kernel-clock ]]; then
      kernel_clock=yes
      shift
      continue
    fi
    [[ $# -ge 2 ]] || die "--engine needs a value"
    engine=$2
    shift 2
  done
  # shellcheck source=scripts/roce.sh
  source scripts/roce.sh
  bench_build
  [[ -n ${JAVA_HOME:-} ]] || need_java
  CALLER_FOLDER=$PWD
  if [[ $engine == uml && -z $kernel_clock ]]; then
    clock=$(bench_clock)
    [[ -z $clock ]] || preload=(--env "LD_PRELOAD=$clock")
  fi
  say "bench roce on the engine $engine${clock:+, with the time from the time stamp counter}"
  run_roce --engine "$engine" --timeout 1800 "${preload[@]}" -- java \
    -XX:TieredStopAtLevel="$(bench_tier "$engine")" -XX:+UseSerialGC -Xmx256m \
    -cp "bench/target/classes:$(<bench/target/run.classpath)" io.tensorfabric.bench.BenchApplication roce "$@"
}

# The best compiler is worth its time only where it runs at full speed.
bench_tier() {
  [[ $1 == uml ]] && printf 4 || printf 1
}

run_bench() {
  local name=${1:---help}
  shift || true
  case $name in
    push | tune | peers | idle)
      bench_here "$name" "$@"
      ;;
    jni)
      bench_jni
      bench_here jni --stub "$bench_home/bench/target/jni" "$@"
      ;;
    roce)
      bench_roce "$@"
      ;;
    -h | --help | help)
      bench_usage
      ;;
    *)
      bench_usage >&2
      die "unknown benchmark: $name"
      ;;
  esac
}
