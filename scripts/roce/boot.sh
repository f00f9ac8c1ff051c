# shellcheck shell=bash disable=SC2154 # names from lib.sh, roce.sh and prepare.sh
# Boots the guest, runs one command in it, and passes its output and exit code on.

roce_run=''
roce_guest=''

roce_cleanup() {
  if [[ -n $roce_guest ]]; then
    kill "$roce_guest" 2>/dev/null || true
    wait "$roce_guest" 2>/dev/null || true
  fi
  [[ -z $roce_run ]] || rm -rf "$roce_run"
}

# What scripts/roce/guest reads: the command and its surroundings.
roce_write_job() {
  local shares=("$PWD/.dev" "${roce_shares[@]}") command=("$@") folder=$CALLER_FOLDER
  local variables=("JAVA_HOME=$JAVA_HOME" "PATH=$JAVA_HOME/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    "${roce_variables[@]}")
  declare -p shares variables command folder >"$roce_run/job"
}

# roce_boot COMMAND...: returns the command's code; 124 after the timeout, 125 when the guest died without telling one.
roce_boot() {
  local out err code=0
  roce_run=$(mktemp -d "$roce_state/run.XXXXXX")
  trap roce_cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  roce_write_job "$@"
  mkfifo "$roce_run/out" "$roce_run/err"
  : >"$roce_run/log"
  cat "$roce_run/out" &
  out=$!
  cat "$roce_run/err" >&2 &
  err=$!
  roce_qemu &
  roce_guest=$!
  wait "$roce_guest" || code=$?
  roce_guest=''
  wait "$out" "$err" 2>/dev/null || true
  roce_outcome "$code"
}

roce_outcome() {
  local status
  if [[ -s $roce_run/status ]]; then
    status=$(<"$roce_run/status")
    [[ $status -ne 126 ]] || grep -a '^roce:' "$roce_run/console" >&2 || true
    return "$status"
  fi
  if [[ $1 -eq 124 || $1 -eq 137 ]]; then
    printf 'error: the guest was ended after %s s\n' "$roce_timeout" >&2
    return 124
  fi
  printf 'error: the guest ended without a status (qemu: %s); last lines of its logs:\n' "$1" >&2
  tail -n 60 "$roce_run/console" "$roce_run/log" >&2 || true
  return 125
}

roce_cpus() {
  local cpus
  cpus=$(nproc)
  printf '%s' $((cpus > 4 ? 4 : cpus))
}

roce_qemu() {
  # Telling the guest the rate of the emulated time stamp counter saves it a calibration that fails on a busy machine,
  # and then the boot hangs.
  local khz append args index shares
  khz=$(awk '/^bogomips/ {printf "%d", $3 * 500; exit}' /proc/cpuinfo)
  append="console=ttyS0 quiet loglevel=5 reboot=t panic=-1 mitigations=off nokaslr tsc=reliable tsc_early_khz=$khz"
  append+=" roce.guest=$PWD/scripts/roce/guest roce.run=$roce_run"
  # shellcheck disable=SC2054 # commas belong to qemu's options
  args=(
    -L "$roce_tools/usr/share/qemu" -L "$roce_tools/usr/share/seabios"
    -M microvm -accel tcg,thread=multi,tb-size=1024 -cpu Nehalem -smp "$(roce_cpus)" -m "$roce_memory"
    -nodefaults -no-user-config -display none -no-reboot
    -kernel "$roce_state/vmlinux" -initrd "$roce_state/initramfs" -append "$append"
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
