# shellcheck shell=bash disable=SC2154 # names from lib.sh, roce.sh and prepare.sh
# The engine qemu: Debian's stock kernel in qemu's emulator. Ready in seconds, two or more processors, slow code.

# Loaded in the guest after what they depend on.
readonly roce_modules=(virtio_mmio virtio_console 9pnet_virtio 9p overlay veth sch_netem ib_uverbs rdma_rxe)

roce_qemu_steps() {
  roce_step qemu roce_qemu_prepare scripts/roce/prepare.sh scripts/roce/qemu.sh scripts/roce/init
}

roce_qemu_prepare() {
  local image version
  image=$(find "$roce_tools/boot" -name 'vmlinuz-*' | sort -V | tail -n 1)
  version=${image##*/vmlinuz-}
  roce_extract_kernel "$image" "$roce_state/vmlinux"
  mkdir -p "$roce_state/initramfs.d/modules"
  roce_collect_modules "$version" "$roce_state/initramfs.d/modules"
  roce_initramfs "$roce_state/initramfs.qemu"
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

roce_cpus() {
  local cpus
  cpus=$(nproc)
  printf '%s' $((cpus > 4 ? 4 : cpus))
}

roce_qemu_run() {
  # Telling the guest the rate of the emulated time stamp counter saves it a calibration that fails on a busy machine,
  # and then the boot hangs.
  local khz append args index shares
  khz=$(awk '/^bogomips/ {printf "%d", $3 * 500; exit}' /proc/cpuinfo)
  append="console=ttyS0 quiet loglevel=5 reboot=t mitigations=off nokaslr tsc=reliable tsc_early_khz=$khz"
  append+=" $(roce_words)"
  # shellcheck disable=SC2054 # commas belong to qemu's options
  args=(
    -L "$roce_tools/usr/share/qemu" -L "$roce_tools/usr/share/seabios"
    -M microvm -accel tcg,thread=multi,tb-size=1024 -cpu Nehalem -smp "$(roce_cpus)" -m "$roce_memory"
    -nodefaults -no-user-config -display none -no-reboot
    -kernel "$roce_state/vmlinux" -initrd "$roce_state/initramfs.qemu" -append "$append"
    -chardev "file,id=con,path=$roce_run/console" -serial chardev:con
    -device virtio-serial-device
    -chardev "file,id=out,path=$roce_run/out" -device virtserialport,chardev=out,nr=1
    -chardev "file,id=err,path=$roce_run/err" -device virtserialport,chardev=err,nr=2
  )
  roce_export hostroot / ,readonly=on
  roce_export tools "$roce_tools" ,readonly=on
  roce_export rundir "$roce_run" ''
  eval "$(grep '^declare -a shares=' "$roce_run/job")"
  for index in "${!shares[@]}"; do
    roce_export "share$index" "${shares[index]}" ''
  done
  export LD_LIBRARY_PATH=$roce_tools/usr/lib/x86_64-linux-gnu
  export QEMU_MODULE_DIR=$LD_LIBRARY_PATH/qemu
  exec timeout --foreground -k 5 "$roce_timeout" "$roce_tools/usr/bin/qemu-system-x86_64" "${args[@]}" \
    </dev/null >"$roce_run/log" 2>&1
}

# roce_export TAG FOLDER OPTIONS: a folder for the guest to mount.
roce_export() {
  args+=(-fsdev "local,id=$1,path=$2,security_model=none,multidevs=remap$3"
    -device "virtio-9p-device,fsdev=$1,mount_tag=$1")
}
