# shellcheck shell=bash
# ./dev demo: two services on this machine, tensors pushed from one to the other and compared.
#
# The services are tensor-service.jar twice, told apart by what start_service passes. The client is the class
# io.tensorfabric.service.demo.DemoApplication of the same jar; it gets
#   --a URL      the service that sends
#   --b URL      the service that receives
#   --file FILE  a safetensors file to send, an absolute path; or
#   --size SIZE  how much to make up and send, such as 64MB
# It prints progress and a table, and as its last line
#   demo ok: <n> tensors, <bytes> bytes, sha256 equal, <x> GB/s
# and exits with 0 only then. The services share the secret in FABRIC_SECURITY_SHARED_SECRET.

# Set in a folder that "gpu-check --pack" made, where there is neither Maven nor a compiler: its jar.
readonly demo_packed=${DEMO_PACKED:-}
demo_jar=${demo_packed:-tensor-service/target/tensor-service.jar}
readonly demo_unpacked=$PWD/tensor-service/target/service
# Flags that suit the guest, and an archive of classes with which a start takes a third of the time there.
readonly demo_guest_jvm=(-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:SharedArchiveFile="$demo_unpacked/app.jsa" -Xshare:auto)
readonly demo_client=io.tensorfabric.service.demo.DemoApplication
readonly demo_ready_seconds=${DEMO_READY_SECONDS:-90}
# Set inside the Soft-RoCE guest, where the services use its devices and the jar was built outside.
readonly demo_guest=${DEMO_GUEST:-}
demo_size=''
demo_file=''
demo_heap=256m
demo_keep=''
demo_folder=''
demo_bytes=0
demo_stay=''
demo_pids=()
demo_roce=''
demo_gpu=''
demo_stub=''
demo_gpus=1
demo_jvm=()

demo_usage() {
  cat <<'TEXT'
usage: ./dev demo [--file FILE | --size SIZE] [--heap SIZE] [--keep] [--roce] [--gpu]

Builds the reference service when needed, starts it twice on 127.0.0.1, pushes tensors from the first to the second
and compares what arrived. Both services are stopped at the end.

  --file FILE  send the tensors of a safetensors file
  --size SIZE  make up tensors of this size in all, such as 64MB or 1GB (256MB; 16MB with --roce)
  --heap SIZE  Java heap of each service (256m): tensors lie outside it
  --keep       leave the services running, print their URLs, and keep their logs in the .dev folder
  --gpu        keep the tensors in GPU memory at both ends; where there is no CUDA driver, on a stub of it (no GPU)
  --roce       run all of it in a guest with two Soft-RoCE devices, one service on each, through libibverbs
TEXT
}

demo_options() {
  while [[ $# -gt 0 ]]; do
    case $1 in
      --file | --size | --heap)
        [[ $# -ge 2 ]] || die "$1 needs a value"
        printf -v "demo_${1#--}" '%s' "$2"
        shift
        ;;
      --keep) demo_keep=yes ;;
      --roce) demo_roce=yes ;;
      --gpu) demo_gpu=yes ;;
      -h | --help)
        demo_usage
        exit 0
        ;;
      *)
        demo_usage >&2
        die "unknown option of demo: $1"
        ;;
    esac
    shift
  done
  if [[ -z $demo_size ]]; then
    demo_size=$([[ -n $demo_roce$demo_guest ]] && printf 16MB || printf 256MB)
  fi
  if [[ -n $demo_file ]]; then
    [[ $demo_file == /* ]] || demo_file=$CALLER_FOLDER/$demo_file
    [[ -f $demo_file && -r $demo_file ]] || die "cannot read $demo_file"
    demo_bytes=$(stat -L -c %s "$demo_file")
  else
    demo_bytes=$(size_in_bytes "$demo_size")
  fi
}

# The jar is rebuilt when any source or POM is newer.
demo_build() {
  [[ -z $demo_packed ]] || return 0
  if [[ -f $demo_jar && -z $(find pom.xml ./*/pom.xml ./*/src/main -newer "$demo_jar" -type f -print -quit) ]]; then
    say "using $demo_jar, newer than all sources"
    return
  fi
  say "building $demo_jar"
  need_maven
  need_native
  mvn_run -q package -DskipTests -pl tensor-service -am
  # Maven dates the jar with project.build.outputTimestamp, which is before any checkout.
  touch "$demo_jar"
}

port_is_taken() {
  (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Sets demo_port to a port of 127.0.0.1 that nobody listens on.
pick_port() {
  local try
  for try in {1..50}; do
    demo_port=$((20000 + RANDOM % 12000))
    [[ $demo_port -ne ${1:-0} ]] || continue
    port_is_taken "$demo_port" || return 0
  done
  die "no free port after $try tries"
}

# Without a CUDA driver a stub of it is built, which has two GPUs of ordinary memory. Each service sees one GPU if there
# are two, else both share the first one.
demo_prepare_gpu() {
  if [[ -n $demo_packed ]] || ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    say "GPU memory: the CUDA driver of this machine"
    demo_gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
    return
  fi
  say "GPU memory: no CUDA driver here, so a STUB of it is used; no GPU takes part"
  demo_stub=$PWD/.dev/stub-cuda
  need_java
  need_native
  sh fabric-core/src/test/resources/stub-cuda/build.sh "$demo_stub" "$JAVA_HOME"
  export LD_LIBRARY_PATH=$demo_stub${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  demo_gpus=2
}

# The status line's code for GET $2 on port $1, empty when nobody answers.
http_status() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$1" || exit
    printf 'GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' "$2" >&3
    read -r -t 5 -u 3 _ code _
    printf '%s' "$code"
  ) 2>/dev/null || true
}

# The bytes of $1, a size as Spring writes it: digits and B, KB, MB, GB or nothing.
size_in_bytes() {
  [[ $1 =~ ^([0-9]+)(B|KB|MB|GB)?$ ]] || die "--size is digits and B, KB, MB or GB, such as 256MB, not $1"
  case ${BASH_REMATCH[2]} in
    KB) echo $((BASH_REMATCH[1] * 1024)) ;;
    MB) echo $((BASH_REMATCH[1] * 1024 * 1024)) ;;
    GB) echo $((BASH_REMATCH[1] * 1024 * 1024 * 1024)) ;;
    *) echo "${BASH_REMATCH[1]}" ;;
  esac
}

# Pools take memory as they need it, so the limits may be generous: what the file needs, and room for what lands.
start_service() {
  local name=$1 port=$2 peer=$3 peer_port=$4
  local demo_service_options=()
  if [[ -n $demo_guest ]]; then
    demo_service_options=(--fabric.provider=verbs "--fabric.device=$5" --fabric.memory.host.slab-size=64MB)
  fi
  if [[ -n $demo_gpu ]]; then
    demo_service_options+=(--fabric.landing.memory=auto --tensor-service.upload.memory=auto
      --fabric.memory.gpu.max-size=$((2 * demo_bytes + 512 * 1024 * 1024)))
  fi
  say "starting service $name on http://127.0.0.1:$port"
  FABRIC_SECURITY_SHARED_SECRET=$demo_secret CUDA_VISIBLE_DEVICES=$(demo_visible "$name") "$JAVA_HOME/bin/java" "${demo_jvm[@]}" -Xmx"$demo_heap" -jar "$demo_jar" \
    --server.address=127.0.0.1 \
    --server.port="$port" \
    --fabric.node-id="$name" \
    "--fabric.peers[0].name=$peer" \
    "--fabric.peers[0].url=http://127.0.0.1:$peer_port" \
    --fabric.memory.host.max-size=$((2 * demo_bytes + 1024 * 1024 * 1024)) \
    --fabric.landing.max-dedicated-size=$((demo_bytes + 256 * 1024 * 1024)) \
    --fabric.landing.max-dedicated-size-per-peer=$((demo_bytes + 256 * 1024 * 1024)) \
    --tensor-service.store.max-size=$((demo_bytes + 64 * 1024 * 1024)) \
    "${demo_service_options[@]}" \
    >"$demo_folder/$name.log" 2>&1 </dev/null &
  demo_pids+=($!)
}

demo_visible() {
  if [[ -z $demo_gpu ]]; then
    printf '%s' "${CUDA_VISIBLE_DEVICES:-}"
  elif [[ $1 == b && $demo_gpus -gt 1 ]]; then
    printf 1
  else
    printf 0
  fi
}

await_service() {
  local name=$1 port=$2 pid=$3 deadline=$((SECONDS + demo_ready_seconds))
  until [[ $(http_status "$port" /actuator/health/readiness) == 200 ]]; do
    kill -0 "$pid" 2>/dev/null || demo_fail "service $name ended before it was ready"
    [[ $SECONDS -lt $deadline ]] || demo_fail "service $name was not ready after $demo_ready_seconds s"
    sleep 0.2
  done
  say "service $name is ready"
}

demo_fail() {
  local log
  for log in "$demo_folder"/*.log; do
    printf -- '---- last lines of %s\n' "$log" >&2
    tail -n 40 "$log" >&2
  done
  die "$1"
}

demo_cleanup() {
  local pid
  trap - EXIT INT TERM
  [[ -z $demo_stay ]] || return 0
  for pid in "${demo_pids[@]}"; do
    kill "$pid" 2>/dev/null || true
  done
  for pid in "${demo_pids[@]}"; do
    wait_or_kill "$pid"
  done
  if [[ -n $demo_folder && -z $demo_keep ]]; then
    rm -rf "$demo_folder"
  fi
}

wait_or_kill() {
  local deadline=$((SECONDS + 15))
  while kill -0 "$1" 2>/dev/null && [[ $SECONDS -lt $deadline ]]; do
    sleep 0.1
  done
  kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}

run_demo() {
  demo_options "$@"
  if [[ -n $demo_guest ]]; then
    demo_jar=$demo_unpacked/tensor-service.jar
    demo_jvm=("${demo_guest_jvm[@]}")
  fi
  say "demo: two services, ${demo_file:-$demo_size}"
  if [[ -n $demo_roce ]]; then
    [[ -z $demo_gpu ]] || die "--gpu and --roce exclude each other: the guest has no GPU"
    demo_in_guest
    return
  fi
  [[ -n $demo_guest ]] || demo_build
  [[ -n $demo_packed || (-n ${JAVA_HOME:-} && -n ${maven:-}) ]] || need_java
  [[ -z $demo_gpu ]] || demo_prepare_gpu
  demo_make_folder
  demo_secret=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
  trap demo_cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  local port_a port_b
  pick_port && port_a=$demo_port
  pick_port "$port_a" && port_b=$demo_port
  start_service a "$port_a" b "$port_b" rxe0
  start_service b "$port_b" a "$port_a" rxe1
  await_service a "$port_a" "${demo_pids[0]}"
  await_service b "$port_b" "${demo_pids[1]}"
  if [[ -n $demo_keep ]]; then
    say "services will stay at http://127.0.0.1:$port_a and http://127.0.0.1:$port_b, logs in $demo_folder"
    say "stop them with: kill ${demo_pids[*]}"
  fi
  demo_push "http://127.0.0.1:$port_a" "http://127.0.0.1:$port_b" || demo_fail "the demo's client failed"
  demo_stay=$demo_keep
}

# The jar unpacked and an archive of its loaded classes. Both hold for the guest too, which has the same JDK and the same
# paths.
# Unpacked, with an archive of its classes, because every start takes long in the guest.
demo_unpack() {
  say "unpacking $demo_jar and archiving its classes, unless that is done"
  sh scripts/unpack-service.sh "$demo_jar" "$demo_unpacked" "$JAVA_HOME"
}

# In the guest it lies where it goes with the guest, however that ends.
demo_make_folder() {
  if [[ -n $demo_guest ]]; then
    demo_folder=$(mktemp -d)
    return
  fi
  mkdir -p .dev
  demo_folder=$(mktemp -d "$PWD/.dev/demo.XXXXXX")
}

# The same demo in the guest.
demo_in_guest() {
  local what=(--size "$demo_size")
  [[ -z $demo_file ]] || what=(--file "$demo_file")
  [[ -z $demo_keep ]] || die "--keep and --roce exclude each other: the guest ends with the demo"
  demo_build
  [[ -n ${JAVA_HOME:-} ]] || need_java
  demo_unpack
  # shellcheck source=scripts/roce.sh
  declare -F run_roce >/dev/null || source scripts/roce.sh
  CALLER_FOLDER=$PWD
  run_roce --engine "${ROCE_ENGINE:-uml}" --timeout 1500 --env DEMO_GUEST=yes --env DEMO_READY_SECONDS=900 -- \
    ./dev demo "${what[@]}" --heap "$demo_heap"
}

demo_push() {
  local what=(--size "$demo_size")
  [[ -z $demo_file ]] || what=(--file "$demo_file")
  local launch=(-Dloader.main="$demo_client" -cp "$demo_jar" org.springframework.boot.loader.launch.PropertiesLauncher)
  [[ -z $demo_guest ]] || launch=(-cp "$demo_jar" "$demo_client")
  "$JAVA_HOME/bin/java" "${demo_jvm[@]}" -Xmx256m -Djava.io.tmpdir="$demo_folder" "${launch[@]}" \
    --a "$1" --b "$2" "${what[@]}" </dev/null
}
