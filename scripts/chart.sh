# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev chart: lints and renders the Helm chart for every file with values, checks each object, and tests the alerts.

readonly chart_promtool=.dev/promtool/usr/bin/promtool

run_chart() {
  local summary=helm/target/chart-summary
  say "linting, rendering and checking helm/tensor-service"
  need_maven
  need_promtool
  rm -f "$summary"
  mvn_run -q test -pl helm -am -Dnative.skip -Dtest='io.tensorfabric.chart.*Test' -Dsurefire.failIfNoSpecifiedTests=false "$@"
  [[ -s $summary ]] || die "the chart was not rendered, see helm/target/surefire-reports"
  [[ -x $chart_promtool ]] || have promtool || say "skipped: promtool check rules, promtool test rules: no promtool"
  printf 'chart ok: %s\n' "$(<"$summary")"
}

# Unpacks promtool from Debian's package, which is not installed: its service would start. Tests that want it say so
# when it is missing.
need_promtool() {
  local folder=.dev/promtool
  if have promtool || [[ -x $chart_promtool ]]; then
    return
  fi
  have apt-get || return 0
  say "unpacking promtool into $folder"
  mkdir -p "$folder"
  if (cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download prometheus) ||
    { as_root apt-get -qq update && (cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download prometheus); }; then
    dpkg-deb --fsys-tarfile "$folder"/prometheus_*.deb | tar -x -C "$folder" ./usr/bin/promtool
    rm -f "$folder"/prometheus_*.deb
  else
    say "promtool cannot be downloaded, its tests are skipped"
  fi
}
