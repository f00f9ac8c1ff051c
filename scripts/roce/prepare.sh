# shellcheck shell=bash disable=SC2154 # names from lib.sh and roce.sh
# Downloads and unpacks what the Soft-RoCE guest needs, once, below $roce_state.

# With the dependencies that this machine lacks.
readonly roce_packages=(
  qemu-system-x86 busybox-static cpio kmod iproute2 perftest
  libibverbs1 ibverbs-providers ibverbs-utils librdmacm1 rdmacm-utils
)

roce_tools=''

# The stock kernel; the cloud flavour has no rdma_rxe.
roce_kernel_package() {
  local meta depends
  for meta in linux-image-amd64 linux-image-generic; do
    depends=$(apt-cache depends "$meta" 2>/dev/null) || continue
    awk '/Depends: linux-image-/ && !found {print $2; found = 1}' <<<"$depends"
    return
  done
}

# Downloads, unpacks and builds what the engine $roce_engine needs and has not, or has from other scripts than these.
roce_prepare() {
  local reason
  mkdir -p "$roce_state"
  roce_tools=$roce_state/tools
  exec 9>"$roce_state/lock"
  flock 9
  reason=$(roce_unavailable)
  [[ -z $reason ]] || die "no Soft-RoCE guest here: $reason"
  roce_step tools roce_get_tools scripts/roce/prepare.sh
  "roce_${roce_engine}_steps"
  exec 9>&-
}

# roce_step NAME FUNCTION FILES...: calls the function unless it was done already with the same text of these files.
roce_step() {
  local name=$1 function=$2 stamp
  shift 2
  stamp=$(cat "$@" | sha256sum)
  [[ ! -f $roce_state/$name.stamp || $(<"$roce_state/$name.stamp") != "$stamp" ]] || return 0
  "$function"
  printf '%s\n' "$stamp" >"$roce_state/$name.stamp"
}

roce_get_tools() {
  say "downloading and unpacking the Soft-RoCE guest's packages to $roce_state (once)" >&2
  roce_download
  roce_unpack_all
}

roce_download() {
  local debs=$roce_state/debs kernel
  kernel=$(roce_kernel_package)
  rm -rf "$debs"
  roce_fetch "$debs" "${roce_packages[@]}"
  (cd "$debs" && apt-get -qq -o APT::Sandbox::User=root download "$kernel" >&2) ||
    die "apt-get cannot download $kernel: run apt-get update"
}

# roce_fetch FOLDER PACKAGES...: downloads packages and what this machine lacks of their dependencies.
roce_fetch() {
  local folder=$1
  shift
  mkdir -p "$folder/partial"
  apt-get -qq -y --no-install-recommends --reinstall --download-only -o Dir::Cache::Archives="$folder" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root install "$@" >&2 ||
    die "apt-get cannot download $*: run apt-get update"
}

# dpkg -x would put folders in place of the links /bin and /lib, and these would hide the machine's own.
roce_unpack() {
  local deb=$1 target=$2
  shift 2
  dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$target" "$@"
}

roce_unpack_all() {
  local deb
  rm -rf "$roce_tools"
  mkdir -p "$roce_tools"/usr/{bin,sbin,lib}
  ln -s usr/bin usr/sbin usr/lib "$roce_tools/"
  for deb in "$roce_state"/debs/*.deb; do
    case ${deb##*/} in
      # Of use to a real installation only; they must not hide the machine's own.
      systemd* | udev_* | lib*systemd* | libudev* | libnss-* | libpam-*) ;;
      linux-image-*) roce_unpack "$deb" "$roce_tools" --wildcards ./boot ./lib/modules ;;
      *) roce_unpack "$deb" "$roce_tools" --exclude=./usr/share/doc --exclude=./usr/share/man ;;
    esac
  done
  rm -rf "$roce_state/debs"
}

# A program of the unpacked packages with its own libraries.
roce_tool() {
  LD_LIBRARY_PATH=$roce_tools/usr/lib/x86_64-linux-gnu "$roce_tools/bin/$1" "${@:2}"
}

# roce_initramfs FILE: packs the guest's first stage, with what lies in initramfs.d/modules.
roce_initramfs() {
  local work=$roce_state/initramfs.d
  mkdir -p "$work"/{bin,modules,proc,sys,dev,host,tools,rw,new}
  [[ -f $work/modules/order ]] || : >"$work/modules/order"
  cp "$roce_tools/bin/busybox" "$work/bin/busybox"
  install -m 755 scripts/roce/init "$work/init"
  (cd "$work" && find . | roce_tool cpio --quiet -o -H newc) >"$1"
  rm -rf "$work"
}
