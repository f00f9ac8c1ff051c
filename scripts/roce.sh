# shellcheck shell=bash disable=SC2154 # names from lib.sh
# ./dev roce: a command in a guest whose kernel has Soft-RoCE, for machines whose own kernel has no InfiniBand.
#
# Two engines run the guest, neither of which needs KVM: qemu.sh and uml.sh. Its root is an overlay: a tmpfs over unpacked
# packages over this machine's own "/", read-only. So it sees the JDK and the project at their usual paths, may write
# anywhere, and loses what it wrote, but for what lies below .dev and the folders named by --share. Nothing is installed
# on this machine but a compiler for uml.

# shellcheck source=scripts/roce/prepare.sh
source scripts/roce/prepare.sh
# shellcheck source=scripts/roce/qemu.sh
source scripts/roce/qemu.sh
# shellcheck source=scripts/roce/uml.sh
source scripts/roce/uml.sh
# shellcheck source=scripts/roce/boot.sh
source scripts/roce/boot.sh

readonly roce_state=${ROCE_STATE:-$PWD/.dev/roce}

roce_usage() {
  cat <<'TEXT'
usage: ./dev roce [OPTIONS] -- COMMAND [ARGUMENTS]

Runs a command in a throw-away guest with two Soft-RoCE devices on a cable: rxe0 (10.77.0.1 on eth0) and rxe1
(10.77.0.2 on eth1), RoCE v2 with GID index 1, MTU 4096. Output and exit code are the command's.

  --engine NAME   qemu: ready in seconds, up to 4 processors, code some ten times slower than on this machine
                  uml: the kernel is built once in some minutes, then code runs at full speed, on one processor
                  (qemu)
  --share FOLDER  the guest's writes below it are kept (may be repeated; .dev is always shared)
  --env N=VALUE   variable for the command (may be repeated)
  --memory SIZE   memory of the guest (4G)
  --timeout S     end the guest after so many seconds, with code 124 (1800)
  --prepare       only download, unpack and build; run nothing

Packages are downloaded on first use to .dev/roce, about 400 MB (600 MB for uml); ROCE_STATE names another folder.
TEXT
}

roce_engine=qemu
roce_shares=()
roce_variables=()
roce_command=()
roce_memory=4G
roce_timeout=1800
roce_prepare_only=''

roce_options() {
  while [[ $# -gt 0 ]]; do
    case $1 in
      --)
        shift
        roce_command=("$@")
        return
        ;;
      --engine | --share | --env | --memory | --timeout)
        [[ $# -ge 2 ]] || die "$1 needs a value"
        roce_option "$1" "$2"
        shift
        ;;
      --prepare) roce_prepare_only=yes ;;
      -h | --help)
        roce_usage
        exit 0
        ;;
      *)
        roce_usage >&2
        die "unknown option of roce: $1 (the command comes after --)"
        ;;
    esac
    shift
  done
}

roce_option() {
  case $1 in
    --engine)
      [[ $2 == qemu || $2 == uml ]] || die "there is no engine $2: qemu or uml"
      roce_engine=$2
      ;;
    --share)
      [[ -d $(roce_callers "$2") ]] || die "--share: there is no folder $2"
      roce_shares+=("$(realpath -e "$(roce_callers "$2")")")
      ;;
    --env)
      [[ $2 =~ ^[A-Za-z_][A-Za-z_0-9]*= ]] || die "--env is NAME=VALUE, not $2"
      roce_variables+=("$2")
      ;;
    --memory)
      [[ $2 =~ ^[1-9][0-9]*[MG]$ ]] || die "--memory is a number and M or G, such as 4G, not $2"
      roce_memory=$2
      ;;
    --timeout)
      [[ $2 =~ ^[1-9][0-9]*$ ]] || die "--timeout is a number of seconds, not $2"
      roce_timeout=$2
      ;;
  esac
}

# A path as the caller means it.
roce_callers() {
  [[ $1 == /* ]] && printf '%s' "$1" || printf '%s/%s' "$CALLER_FOLDER" "$1"
}

run_roce() {
  roce_options "$@"
  if [[ -z $roce_prepare_only && ${#roce_command[@]} -eq 0 ]]; then
    roce_usage >&2
    die "no command given"
  fi
  [[ -n ${JAVA_HOME:-} ]] || need_java >&2
  roce_prepare
  [[ -z $roce_prepare_only ]] || return 0
  roce_boot "${roce_command[@]}"
}

# Why this machine cannot have the guest; nothing when it can.
roce_unavailable() {
  if [[ $PWD$roce_state =~ [[:space:],] ]]; then
    printf 'its kernel takes no paths with spaces or commas: %s, %s' "$PWD" "$roce_state"
  elif [[ $(uname -m) != x86_64 ]]; then
    printf 'the guest is for x86_64 machines'
  elif ! have apt-get || ! have dpkg-deb; then
    printf 'its packages come from Debian or Ubuntu'
  elif [[ -z $(roce_kernel_package) ]]; then
    printf 'apt knows no kernel package with rdma_rxe: apt-get update'
  fi
}
