# shellcheck shell=bash disable=SC2154 # names from lib.sh and demo.sh
# ./dev preflight: what stands between a service and a peer, step by step. See preflight_usage.

# shellcheck source=scripts/demo.sh
source scripts/demo.sh

preflight_url=''
preflight_peer=''
preflight_more=()

preflight_usage() {
  cat <<'TEXT'
usage: ./dev preflight [URL PEER] [--ca=FILE] [--timeout=TIME]

Lets a service look at everything between it and a peer that transfers depend on: device, port, address, MTU, limits,
GPUs, network settings; then transfers of one byte, 4 KiB, across the MTU, 1 MiB, eight at once, and from GPU memory.
The peer answers them by itself; no listener hears of them. Ends with 0 unless something failed.

  URL            Actuator of a service that runs, such as http://127.0.0.1:8081; without it two services are started on
                 this machine, on the software device, and stopped at the end
  PEER           name of the peer in that service
  --ca=FILE      certificates to trust, as PEM
  --timeout=TIME longest time for all of it (60s)
TEXT
}

preflight_options() {
  while [[ $# -gt 0 ]]; do
    case $1 in
      --ca=*) preflight_more+=("--ca=$(cd "$CALLER_FOLDER" && realpath "${1#--ca=}")") ;;
      --timeout=*) preflight_more+=("$1") ;;
      -h | --help)
        preflight_usage
        exit 0
        ;;
      http://* | https://*) preflight_url=$1 ;;
      -*)
        preflight_usage >&2
        die "unknown option of preflight: $1"
        ;;
      *) preflight_peer=$1 ;;
    esac
    shift
  done
  if [[ -n $preflight_url && -z $preflight_peer ]] || [[ -z $preflight_url && -n $preflight_peer ]]; then
    preflight_usage >&2
    die "preflight needs both a URL and the name of a peer, or neither"
  fi
}

preflight_start_services() {
  local port_a port_b
  demo_bytes=$((16 * 1024 * 1024))
  demo_make_folder
  demo_secret=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
  trap demo_cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  pick_port && port_a=$demo_port
  pick_port "$port_a" && port_b=$demo_port
  FABRIC_PROVIDER=soft start_service a "$port_a" b "$port_b"
  FABRIC_PROVIDER=soft start_service b "$port_b" a "$port_a"
  await_service a "$port_a" "${demo_pids[0]}"
  await_service b "$port_b" "${demo_pids[1]}"
  preflight_url=http://127.0.0.1:$port_a
  preflight_peer=b
}

run_preflight() {
  preflight_options "$@"
  say "preflight: ${preflight_url:-two services on this machine} ${preflight_peer:+to }$preflight_peer"
  demo_build
  [[ -n ${JAVA_HOME:-} && -n ${maven:-} ]] || need_java
  [[ -n $preflight_url ]] || preflight_start_services
  "$JAVA_HOME/bin/java" -XX:TieredStopAtLevel=1 -jar "$demo_jar" check preflight "--management=$preflight_url" \
    "--peer=$preflight_peer" "${preflight_more[@]}" </dev/null || die "the preflight failed"
  printf 'preflight ok\n'
}
