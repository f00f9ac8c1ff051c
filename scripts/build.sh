# shellcheck shell=bash
# ./dev build: the jars, tests compiled but not run.

run_build() {
  say "building the jars without running tests"
  need_maven
  need_native "$@"
  mvn_run package -DskipTests "$@"
}
