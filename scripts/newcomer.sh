# shellcheck shell=bash disable=SC2154 # names from lib.sh and demo.sh
# ./dev newcomer: does what docs/getting-started.md says, to the letter, and compares what the page promises. The files,
# the commands and their answers are taken from the page, so the two cannot differ. A name of a file in back quotes alone
# on a line is followed by the block with its content; "sh" blocks are run in order, in a temporary folder; a "text" block
# is what the command before it has to print. Only the two ports are replaced, by free ones.
#
# Maven has a local repository of its own for the services, below .dev, filled from ~/.m2/repository as far as that has what
# is needed; the network is used for the rest, and not at all with -o.

readonly newcomer_page=docs/getting-started.md
readonly newcomer_state=$PWD/.dev/newcomer
readonly newcomer_step_seconds=600
readonly newcomer_ready_seconds=90
# What a person may need in all, of which the machine's part is far less.
readonly newcomer_most_seconds=900
newcomer_folder=''
newcomer_offline=''
newcomer_pids=()
newcomer_printed=''
newcomer_steps=0

newcomer_usage() {
  cat <<TEXT
usage: ./dev newcomer [-o]

Makes the two services of $newcomer_page in a temporary folder, with the commands and files of that page, sends a
tensor from one to the other and compares what the page promises.

  -o  do not use the network, fail when something has not been downloaded yet
TEXT
}

run_newcomer() {
  case ${1:-} in
    '') ;;
    -o) newcomer_offline=yes ;;
    -h | --help)
      newcomer_usage
      return
      ;;
    *)
      newcomer_usage >&2
      die "unknown option of newcomer: $1"
      ;;
  esac
  # shellcheck source=scripts/demo.sh
  declare -F pick_port >/dev/null || source scripts/demo.sh
  local started=$SECONDS
  say "newcomer: two services of one's own, as in $newcomer_page"
  need_maven
  have curl || install_packages curl ca-certificates
  newcomer_folder=$(mktemp -d)
  trap newcomer_cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  newcomer_maven
  newcomer_parts
  local part
  for part in "$newcomer_folder"/parts/*; do
    newcomer_part "$part"
  done
  [[ ${#newcomer_pids[@]} -eq 2 ]] || newcomer_fail "the page started ${#newcomer_pids[@]} services instead of 2"
  [[ $newcomer_steps -gt 0 ]] || newcomer_fail "the page promises no answer"
  newcomer_manifests
  [[ $((SECONDS - started)) -le $newcomer_most_seconds ]] ||
    newcomer_fail "the page took $((SECONDS - started)) s instead of at most $newcomer_most_seconds"
  say "newcomer ok: 2 services, $newcomer_steps answers as on the page, $((SECONDS - started)) s"
}

# A mvn for the page's commands. What "install" would put into the local Maven repository goes to a folder that the two
# services' builds take for a repository, so that ~/.m2 stays as it is.
newcomer_maven() {
  local bin=$newcomer_folder/bin real
  real=$(command -v "$maven")
  [[ $real == /* ]] || real=$PWD/$maven
  mkdir -p "$bin" "$newcomer_state"
  rm -rf "$newcomer_state/repository/io/tensorfabric" "$newcomer_state/deployed"
  cat >"$newcomer_state/settings.xml" <<TEXT
<settings>
  <localRepository>$newcomer_state/repository</localRepository>
  <profiles>
    <profile>
      <id>newcomer</id>
      <repositories>
        <repository><id>deployed</id><url>file://$newcomer_state/deployed</url></repository>
        NEWCOMER_REPOSITORY
      </repositories>
      <pluginRepositories>NEWCOMER_PLUGINS</pluginRepositories>
    </profile>
  </profiles>
  <activeProfiles><activeProfile>newcomer</activeProfile></activeProfiles>
</settings>
TEXT
  local downloaded="<id>central</id><url>file://$HOME/.m2/repository</url>"
  sed -e "s|NEWCOMER_REPOSITORY|<repository>$downloaded</repository>|" \
    -e "s|NEWCOMER_PLUGINS|<pluginRepository>$downloaded</pluginRepository>|" \
    "$newcomer_state/settings.xml" >"$newcomer_state/offline.xml"
  sed -i -e 's|NEWCOMER_[A-Z]*||' "$newcomer_state/settings.xml"
  cat >"$bin/mvn" <<TEXT
#!/usr/bin/env bash
set -uo pipefail
log=$newcomer_folder/maven.log
export MAVEN_OPTS="\${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
[[ \$1 != -v ]] || exec "$real" -v
if [[ " \$* " == *' install '* ]]; then
  arguments=()
  for argument in "\$@"; do
    [[ \$argument != install ]] || argument=package
    arguments+=("\$argument")
  done
  "$real" ${newcomer_offline:+-o} "\${arguments[@]}" || exit
  source scripts/newcomer.sh && newcomer_lay_out
  exit
fi
if "$real" -B -ntp -o -s "$newcomer_state/offline.xml" -Daether.offline.protocols=file "\$@" >"\$log" 2>&1; then
  exit 0
fi
if [[ -n "$newcomer_offline" ]] || ! grep -q 'offline\|Could not find artifact\|Could not resolve\|was not found in' "\$log"; then
  cat "\$log" >&2
  exit 1
fi
echo '==> not all is in $HOME/.m2/repository: using the network'
# An earlier attempt without the network may have left word that something is nowhere.
exec "$real" -B -ntp -U -gs "$newcomer_state/settings.xml" -Dmaven.repo.local="$newcomer_state/repository" "\$@"
TEXT
  chmod +x "$bin/mvn"
  PATH=$bin:$JAVA_HOME/bin:$PATH
}

# What has just been built, as a repository.
newcomer_lay_out() {
  local version jar name folder to=$newcomer_state/deployed/io/tensorfabric
  version=$(sed -n 's|^  <version>\(.*\)</version>|\1|p' pom.xml)
  mkdir -p "$to/tensor-fabric/$version"
  cp pom.xml "$to/tensor-fabric/$version/tensor-fabric-$version.pom"
  for jar in ./*/target/*-"$version".jar; do
    name=$(basename "$jar" "-$version.jar")
    folder=$to/$name/$version
    mkdir -p "$folder"
    cp "$jar" "$folder/"
    cp "$(dirname "$(dirname "$jar")")/pom.xml" "$folder/$name-$version.pom"
  done
}

# The jars that touch raw memory or load a library say so.
newcomer_manifests() {
  local jar
  for jar in "$newcomer_state"/deployed/io/tensorfabric/{fabric-core,fabric-native}/*/*.jar; do
    (cd "$newcomer_folder" && jar xf "$jar" META-INF/MANIFEST.MF)
    grep -q '^Enable-Native-Access: ALL-UNNAMED' "$newcomer_folder/META-INF/MANIFEST.MF" ||
      newcomer_fail "$(basename "$jar") does not say Enable-Native-Access in its manifest"
  done
}

# The blocks of the page as numbered files: NN.sh, NN.text and NN.file, whose first line is the name of the file.
newcomer_parts() {
  local ports=()
  mkdir -p "$newcomer_folder/parts" "$newcomer_folder/work"
  pick_port && ports+=("$demo_port")
  pick_port "${ports[0]}" && ports+=("$demo_port")
  awk -v folder="$newcomer_folder/parts" -v first="${ports[0]}" -v second="${ports[1]}" '
    /^`[^`]+`$/ { name = substr($0, 2, length($0) - 2); next }
    /^```/ && !inside {
      kind = substr($0, 4)
      if (name != "") kind = "file"
      if (kind != "file" && kind != "sh" && kind != "text") { print "block of no use: " $0 > "/dev/stderr"; exit 1 }
      inside = 1
      out = sprintf("%s/%02d.%s", folder, ++number, kind)
      if (kind == "file") print name > out
      next
    }
    /^```/ { inside = 0; name = ""; close(out); next }
    inside { gsub(/8080/, first); gsub(/8081/, second); print > out }
    !inside && name != "" && NF > 0 { print "no block after " name > "/dev/stderr"; exit 1 }
  ' "$newcomer_page" || newcomer_fail "$newcomer_page cannot be taken apart"
}

newcomer_part() {
  local name
  case $1 in
    *.file)
      name=$(head -n 1 "$1")
      say "writing $name"
      tail -n +2 "$1" >"$newcomer_folder/work/$name"
      ;;
    *.sh)
      sed 's/^/+ /' "$1"
      if [[ $(head -n 1 "$1") == java* ]]; then
        newcomer_start "$1"
      else
        newcomer_run "$1"
      fi
      ;;
    *.text)
      newcomer_steps=$((newcomer_steps + 1))
      [[ $newcomer_printed == "$(cat "$1")" ]] ||
        newcomer_fail "the page promises '$(cat "$1")', but there came '$newcomer_printed'"
      printf '%s\n' "$newcomer_printed"
      ;;
  esac
}

newcomer_run() {
  local folder=$newcomer_folder/work status=0
  [[ $(cat "$1") != ./dev* ]] || folder=$PWD
  newcomer_printed=$(cd "$folder" && timeout "$newcomer_step_seconds" bash -euo pipefail "$1" 2>&1 </dev/null) || status=$?
  [[ $status -eq 0 ]] || newcomer_fail "it ended with status $status: $newcomer_printed"
}

# A service in the background, awaited.
newcomer_start() {
  local log deadline pid
  log=$newcomer_folder/service-${#newcomer_pids[@]}.log
  (cd "$newcomer_folder/work" && exec bash -c "exec $(cat "$1")") >"$log" 2>&1 </dev/null &
  pid=$!
  newcomer_pids+=("$pid")
  deadline=$((SECONDS + newcomer_ready_seconds))
  until grep -q 'Started [A-Za-z]*Application' "$log"; do
    kill -0 "$pid" 2>/dev/null || newcomer_fail "the service ended before it was ready"
    [[ $SECONDS -lt $deadline ]] || newcomer_fail "the service was not ready after $newcomer_ready_seconds s"
    sleep 0.2
  done
}

newcomer_fail() {
  local log
  for log in "$newcomer_folder"/*.log; do
    [[ -f $log ]] || continue
    printf -- '---- last lines of %s\n' "$log" >&2
    tail -n 40 "$log" >&2
  done
  die "newcomer: $1"
}

newcomer_cleanup() {
  local pid
  trap - EXIT INT TERM
  for pid in "${newcomer_pids[@]}"; do
    kill "$pid" 2>/dev/null || true
  done
  for pid in "${newcomer_pids[@]}"; do
    wait_or_kill "$pid"
  done
  rm -rf "$newcomer_folder"
}
