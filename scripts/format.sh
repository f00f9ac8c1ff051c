# shellcheck shell=bash
# ./dev format: Spotless over all modules.

run_format() {
  say "formatting sources, POMs, scripts and documents"
  need_maven
  mvn_run -q spotless:apply "$@"
  say "formatted"
}
