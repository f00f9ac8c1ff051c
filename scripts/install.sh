# shellcheck shell=bash
# ./dev install: the artifacts that applications name, in the local Maven repository.

run_install() {
  say "installing the starter and what it needs into the local Maven repository"
  need_maven
  need_native "$@"
  mvn_run -q install -DskipTests -Dcheckstyle.skip -Dspotless.check.skip=true -pl fabric-starter,fabric-test,fabric-interop -am "$@"
  say "install ok: io.tensorfabric:fabric-spring-boot-starter, fabric-test and fabric-interop"
}
