# shellcheck shell=bash disable=SC2154 # names from lib.sh, roce.sh and prepare.sh
# The engine uml: User-mode Linux, a kernel that is an ordinary program. Code runs at the machine's own speed, but there
# is one processor, and system calls and page faults are slow. The kernel is built once from Debian's source.

# shellcheck source=scripts/roce/uml-kernel.sh
source scripts/roce/uml-kernel.sh

roce_uml_steps() {
  roce_step uml-kernel roce_build_uml scripts/roce/uml-kernel.sh
  roce_step uml roce_uml_prepare scripts/roce/prepare.sh scripts/roce/uml.sh scripts/roce/init
}

roce_uml_prepare() {
  roce_initramfs "$roce_state/initramfs.uml"
}

# Console 0 has the kernel's messages and the guest's own, 1 and 2 what the command writes. The guest's memory is a file
# in TMPDIR, which must be in memory itself to be quick.
roce_uml_run() {
  export TMPDIR=/dev/shm
  # shellcheck disable=SC2046 # words
  exec timeout --foreground -k 5 "$roce_timeout" "$roce_state/linux.uml" "mem=$roce_memory" "uml_dir=$roce_run/" \
    "initrd=$roce_state/initramfs.uml" con=null con0=null,fd:7 con1=null,fd:8 con2=null,fd:9 ssl=null console=tty0 \
    quiet $(roce_words) </dev/null >"$roce_run/log" 2>&1 7>"$roce_run/console" 8>"$roce_run/out" 9>"$roce_run/err"
}
