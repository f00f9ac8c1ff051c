# shellcheck shell=bash
# What every command of ./dev needs: messages, a JDK and Maven. Sourced with the repository root as working folder.

readonly least_java=17
readonly least_maven=3.8.6
readonly jvm_folder=/usr/lib/jvm

say() {
  printf '==> %s\n' "$*"
}

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Prints what it runs, then runs it.
run() {
  printf '+ %s\n' "$*"
  "$@"
}

have() {
  command -v "$1" >/dev/null 2>&1
}

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    run "$@"
  elif have sudo; then
    run sudo "$@"
  else
    die "this needs root and there is no sudo: $*"
  fi
}

install_packages() {
  have apt-get || die "missing: $*. Install them; only Debian and Ubuntu are done for you."
  say "installing $*"
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
  as_root "${install[@]}" && return
  as_root apt-get update
  as_root "${install[@]}"
}

# The feature release of the JDK in folder $1, 0 when there is no compiler.
java_release() {
  local version=0
  if [[ -x $1/bin/javac ]]; then
    version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  fi
  printf '%s' "${version:-0}"
}

# The first JDK of at least release $1 among JAVA_HOME's neighbours, the PATH and the system's folder.
find_jdk() {
  local folder javac
  if javac=$(command -v javac); then
    folder=$(dirname "$(dirname "$(readlink -f "$javac")")")
    if [[ $(java_release "$folder") -ge $1 ]]; then
      printf '%s' "$folder"
      return
    fi
  fi
  for folder in "$jvm_folder"/*; do
    if [[ $(java_release "$folder") -ge $1 ]]; then
      printf '%s' "$folder"
      return
    fi
  done
}

install_jdk() {
  local package
  have apt-cache || die "no JDK $least_java or later found: install one and set JAVA_HOME"
  if ! apt-cache show "openjdk-$least_java-jdk-headless" >/dev/null 2>&1; then
    as_root apt-get update
  fi
  for package in "openjdk-$least_java-jdk-headless" \
    $(apt-cache pkgnames openjdk- | grep -E '^openjdk-[0-9]+-jdk-headless$' | sort -t- -k2,2nr); do
    [[ $(cut -d- -f2 <<<"$package") -ge $least_java ]] || continue
    apt-cache show "$package" >/dev/null 2>&1 || continue
    install_packages "$package"
    return
  done
  die "no package with a JDK $least_java or later: install one and set JAVA_HOME"
}

# Sets JAVA_HOME; installs a JDK when there is none.
need_java() {
  if [[ -n ${JAVA_HOME:-} ]]; then
    [[ $(java_release "$JAVA_HOME") -ge $least_java ]] ||
      die "JAVA_HOME ($JAVA_HOME) is not a JDK $least_java or later: correct or unset it"
  else
    JAVA_HOME=$(find_jdk "$least_java")
    if [[ -z $JAVA_HOME ]]; then
      install_jdk
      JAVA_HOME=$(find_jdk "$least_java")
    fi
    [[ -n $JAVA_HOME ]] || die "no JDK $least_java or later found: install one and set JAVA_HOME"
  fi
  export JAVA_HOME
  say "JDK $(java_release "$JAVA_HOME") in $JAVA_HOME"
}

at_least() {
  [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]
}

maven_version() {
  "$1" -v 2>/dev/null | sed -n 's/.*Apache Maven \([0-9][0-9.]*\).*/\1/p' | head -n 1
}

# Sets JAVA_HOME and maven: the system's when new enough, else the wrapper, else the distribution's package.
need_maven() {
  need_java
  local candidate version
  for candidate in mvn ./mvnw; do
    have "$candidate" || continue
    if [[ $candidate == ./mvnw ]] && ! have curl && ! have wget; then
      install_packages curl ca-certificates
    fi
    version=$(maven_version "$candidate" || true)
    if [[ -n $version ]] && at_least "$version" "$least_maven"; then
      maven=$candidate
      say "Maven $version ($maven)"
      return
    fi
  done
  install_packages maven
  version=$(maven_version mvn || true)
  if [[ -z $version ]] || ! at_least "$version" "$least_maven"; then
    die "no Maven $least_maven or later: the wrapper could not download one and the package has ${version:-none}"
  fi
  maven=mvn
}

# Maven in batch mode, without download progress and without a terminal on its standard input.
mvn_run() {
  run "$maven" -B -ntp "$@" </dev/null
}

# Installs what the native shim is built with, unless the arguments for Maven leave it out or the system is another.
need_native() {
  local tool
  local -a missing=()
  [[ $(uname -s) == Linux && " $* " != *' -Dnative.skip'* ]] || return 0
  for tool in cmake make gcc; do
    have "$tool" || missing+=("$tool")
  done
  [[ -f /usr/include/infiniband/verbs.h ]] || missing+=(libibverbs-dev)
  if [[ ${#missing[@]} -gt 0 ]] && have apt-get; then
    # gcc alone brings no headers of the C library.
    install_packages "${missing[@]}" libc6-dev
  fi
}
