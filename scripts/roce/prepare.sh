# shellcheck shell=bash disable=SC2154 # names from lib.sh and roce.sh
# Downloads and unpacks what the Soft-RoCE guest needs, once, below $roce_state.

# With the dependencies that this machine lacks.
readonly roce_packages=(
  qemu-system-x86 busybox-static cpio kmod iproute2 perftest
  libibverbs1 ibverbs-providers ibverbs-utils librdmacm1 rdmacm-utils
)

# Loaded in the guest after what they depend on.
readonly roce_modules=(virtio_mmio virtio_console 9pnet_virtio 9p overlay veth sch_netem ib_uverbs rdma_rxe)

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

roce_prepare() {
  local stamp reason
  mkdir -p "$roce_state"
  roce_tools=$roce_state/tools
  exec 9>"$roce_state/lock"
  flock 9
  stamp=$(cat scripts/roce/prepare.sh scripts/roce/init | sha256sum)
  if [[ ! -f $roce_state/stamp || $(<"$roce_state/stamp") != "$stamp" ]]; then
    reason=$(roce_unavailable)
    [[ -z $reason ]] || die "no Soft-RoCE guest here: $reason"
    say "preparing the Soft-RoCE guest in $roce_state (once)" >&2
    roce_download
    roce_unpack_all
    roce_build_kernel
    printf '%s\n' "$stamp" >"$roce_state/stamp"
  fi
  exec 9>&-
}

roce_download() {
  local debs=$roce_state/debs kernel
  kernel=$(roce_kernel_package)
  rm -rf "$debs"
  mkdir -p "$debs/partial"
  apt-get -qq -y --no-install-recommends --reinstall --download-only -o Dir::Cache::Archives="$debs" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User=root install "${roce_packages[@]}" >&2 ||
    die "apt-get cannot download ${roce_packages[*]}: run apt-get update"
  (cd "$debs" && apt-get -qq -o APT::Sandbox::User=root download "$kernel" >&2) ||
    die "apt-get cannot download $kernel: run apt-get update"
}

# dpkg -x would put folders in place of the links /bin and /lib, and these would hide the machine's own.
roce_unpack() {
  local deb=$1
  shift
  dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$roce_tools" "$@"
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
      linux-image-*) roce_unpack "$deb" --wildcards ./boot ./lib/modules ;;
      *) roce_unpack "$deb" --exclude=./usr/share/doc --exclude=./usr/share/man ;;
    esac
  done
  rm -rf "$roce_state/debs"
}

roce_build_kernel() {
  local image version work=$roce_state/initramfs.d
  image=$(find "$roce_tools/boot" -name 'vmlinuz-*' | sort -V | tail -n 1)
  version=${image##*/vmlinuz-}
  roce_extract_kernel "$image" "$roce_state/vmlinux"
  rm -rf "$work"
  mkdir -p "$work"/{bin,modules,proc,sys,dev,host,tools,rw,new}
  cp "$roce_tools/bin/busybox" "$work/bin/busybox"
  roce_collect_modules "$version" "$work/modules"
  install -m 755 scripts/roce/init "$work/init"
  (cd "$work" && find . | roce_tool cpio --quiet -o -H newc) >"$roce_state/initramfs"
  rm -rf "$work"
}

# A program of the unpacked packages with its own libraries.
roce_tool() {
  LD_LIBRARY_PATH=$roce_tools/usr/lib/x86_64-linux-gnu "$roce_tools/bin/$1" "${@:2}"
}

number_at() {
  od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '
}

# A bzImage's boot header says where its compressed ELF file lies; booting that skips the firmware and the unpacking in
# the emulator.
roce_extract_kernel() {
  local image=$1 out=$2 sectors offset length
  sectors=$(number_at "$image" $((0x1f1)) 1)
  [[ $sectors -gt 0 ]] || sectors=4
  offset=$(number_at "$image" $((0x248)) 4)
  length=$(number_at "$image" $((0x24c)) 4)
  tail -c +$(((sectors + 1) * 512 + offset + 1)) "$image" 2>/dev/null | head -c "$length" >"$out.z" || true
  # Four bytes of size follow the stream, of which the tools complain.
  case $(od -An -t x1 -N 4 "$out.z" | tr -d ' \n') in
    fd377a58) xz -dc --single-stream <"$out.z" >"$out" 2>/dev/null || true ;;
    28b52ffd) zstd -dcq <"$out.z" >"$out" 2>/dev/null || true ;;
    1f8b*) gzip -dc <"$out.z" >"$out" 2>/dev/null || true ;;
  esac
  rm -f "$out.z"
  [[ $(od -An -t x1 -N 4 "$out" 2>/dev/null | tr -d ' \n') == 7f454c46 ]] || die "cannot unpack the kernel $image"
}

# Copies the modules to folder $2 and writes the order of loading to its file "order".
roce_collect_modules() {
  local base=$roce_tools/usr/lib/modules/$1 target=$2 name path
  local -A seen=()
  (
    export LD_LIBRARY_PATH=$roce_tools/usr/lib/x86_64-linux-gnu
    exec -a depmod "$roce_tools/bin/kmod" -b "$roce_tools" "$1"
  )
  for name in "${roce_modules[@]}"; do
    path=$(grep -o "^[^:]*/$name\.ko" "$base/modules.dep") || die "the kernel $1 has no module $name"
    roce_add_module "$path"
  done
}

roce_add_module() {
  local path=$1 need needs
  [[ -z ${seen[$path]:-} ]] || return 0
  seen[$path]=1
  read -r -a needs <<<"$(sed -n "s|^$path: *||p" "$base/modules.dep")"
  for need in "${needs[@]}"; do
    roce_add_module "$need"
  done
  cp "$base/$path" "$target/"
  printf '%s\n' "${path##*/}" >>"$target/order"
}
