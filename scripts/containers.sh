# shellcheck shell=bash disable=SC2154 # names from lib.sh
# The tests between containers. A part of ./dev test, when Maven has packaged the service. They run on the engine under
# DOCKER_HOST, or on one from Debian's packages that is unpacked below .dev, started for the tests and ended after them. It
# is told to leave the filters of packets of this machine alone.

readonly engine_state=$PWD/.dev/engine
readonly engine_tools=$engine_state/tools
readonly containers_tests=(--select-class io.tensorfabric.service.it.ContainersIT
  --select-class io.tensorfabric.service.it.ContainerPeerIT)
readonly containers_what="tests between containers (push, kill, pause, disconnect, stop)"
engine_pid=''

# Why there is no engine and none can be started; nothing when there is one or one can be started.
engine_unavailable() {
  if [[ -n ${DOCKER_HOST:-} ]]; then
    return
  elif [[ $(id -u) -ne 0 ]]; then
    printf 'DOCKER_HOST names no engine, and only root may start one'
  elif ! have apt-get || ! have dpkg-deb; then
    printf 'DOCKER_HOST names no engine, and one is unpacked on Debian and Ubuntu only'
  elif [[ $(uname -s) != Linux || ! -d /sys/fs/cgroup ]]; then
    printf 'DOCKER_HOST names no engine, and this machine has no control groups'
  fi
}

engine_unpack() {
  local deb
  if [[ -x $engine_tools/usr/sbin/dockerd ]]; then
    return
  fi
  mkdir -p "$engine_tools" "$engine_state/debs"
  (cd "$engine_state/debs" && apt-get -qq -o APT::Sandbox::User=root download docker.io containerd runc tini) || return 1
  for deb in "$engine_state"/debs/*.deb; do
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$engine_tools" ./usr
  done
  rm -rf "$engine_state/debs"
}

# Sets DOCKER_HOST; starts an engine when it is not set.
engine_start() {
  local second socket=$engine_state/run/docker.sock
  if [[ -n ${DOCKER_HOST:-} ]]; then
    return 0
  fi
  say "starting a container engine below .dev/engine"
  engine_unpack || return 1
  mkdir -p "$engine_state/run"
  PATH=$engine_tools/usr/sbin:$engine_tools/usr/bin:$PATH dockerd --bridge=none --iptables=false --ip6tables=false --ip-masq=false \
    --host "unix://$socket" --data-root "$engine_state/data" --exec-root "$engine_state/run/exec" \
    --pidfile "$engine_state/run/docker.pid" >"$engine_state/log" 2>&1 </dev/null &
  engine_pid=$!
  for ((second = 0; second < 60; second++)); do
    if grep -q 'API listen on' "$engine_state/log"; then
      export DOCKER_HOST=unix://$socket
      return 0
    fi
    kill -0 "$engine_pid" 2>/dev/null || break
    sleep 1
  done
  engine_stop
  return 1
}

engine_stop() {
  if [[ -n $engine_pid ]]; then
    kill "$engine_pid" 2>/dev/null || true
    wait "$engine_pid" 2>/dev/null || true
    engine_pid=''
    unset DOCKER_HOST
  fi
}

# A step of a lane.
run_containers() {
  local reason
  reason=$(engine_unavailable)
  if [[ -z $reason ]] && ! maven_said "$service_is_packaged"; then
    reason='Maven did not build the module tensor-service'
  fi
  if [[ -z $reason ]] && ! engine_start; then
    reason="the container engine does not start here, see $engine_state/log: $(tail -n 1 "$engine_state/log" 2>/dev/null)"
  fi
  if [[ -n $reason ]]; then
    skipped "$containers_what: $reason"
    return 0
  fi
  trap engine_stop EXIT
  step "$containers_what" containers_suite
  engine_stop
  trap - EXIT
}

containers_suite() {
  ./dev image || return
  local reports=$PWD/tensor-service/target/failsafe-reports
  export TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HOST_OVERRIDE=localhost
  mkdir -p "$reports/containers"
  cd tensor-service || return
  "$JAVA_HOME/bin/java" -cp "target/classes:target/test-classes:$(<target/test.classpath)" \
    org.junit.platform.console.ConsoleLauncher execute --disable-banner --details=tree --disable-ansi-colors \
    "${containers_tests[@]}" --reports-dir "$reports/containers"
}
