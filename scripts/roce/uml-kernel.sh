# shellcheck shell=bash disable=SC2154 # names from lib.sh, roce.sh and prepare.sh
# Builds the User-mode Linux kernel with Soft-RoCE to $roce_state/linux.uml.

# The compiler comes with what the native shim is built with.
readonly roce_uml_packages=(flex bison m4 bc)

# Everything built in. VIRTIO_UML and UML_PCI_OVER_VIRTIO are there for the emulation of DMA that they bring along, on
# which InfiniBand depends; SLUB because SLOB aligns too little for the vector moves that compilers put in.
readonly roce_uml_options=(
  64BIT CC_OPTIMIZE_FOR_PERFORMANCE SLUB PRINTK BUG BASE_FULL KALLSYMS MULTIUSER NAMESPACES CGROUPS
  FUTEX EPOLL EVENTFD SIGNALFD TIMERFD POSIX_TIMERS HIGH_RES_TIMERS NO_HZ_IDLE SYSVIPC POSIX_MQUEUE
  SHMEM AIO ADVISE_SYSCALLS MEMBARRIER FILE_LOCKING INOTIFY_USER FHANDLE SECCOMP
  BINFMT_ELF BINFMT_SCRIPT BLOCK BLK_DEV_INITRD RD_GZIP
  PROC_FS PROC_SYSCTL SYSFS TMPFS DEVTMPFS UNIX98_PTYS CONFIGFS_FS HOSTFS OVERLAY_FS
  STDERR_CONSOLE NULL_CHAN HW_RANDOM UML_RANDOM
  NET UNIX PACKET INET IPV6 IP_ADVANCED_ROUTER IP_MULTIPLE_TABLES NETDEVICES NET_CORE VETH NET_SCHED NET_SCH_NETEM
  VIRTIO_MENU VIRTIO_UML UML_PCI_OVER_VIRTIO
  INFINIBAND INFINIBAND_USER_MAD INFINIBAND_USER_ACCESS INFINIBAND_ADDR_TRANS RDMA_RXE
  CRYPTO CRYPTO_CRC32 CRYPTO_CRC32C
)
readonly roce_uml_needed=(64BIT SLUB HOSTFS OVERLAY_FS VETH NET_SCH_NETEM INFINIBAND_USER_ACCESS RDMA_RXE)

# Debian's package with the source, such as linux-source-6.1; nothing when apt knows none.
roce_source_package() {
  apt-cache depends linux-source 2>/dev/null | awk '/Depends: linux-source-/ && !found {print $2; found = 1}'
}

roce_build_uml() {
  local work=$roce_state/uml.build package deb source log=$roce_state/uml.log
  need_native
  package=$(roce_source_package)
  [[ -n $package ]] || die "apt knows no package linux-source: run apt-get update, or use --engine qemu"
  say "building the user-mode kernel from $package (some minutes, once; log in $log)" >&2
  rm -rf "$work"
  mkdir -p "$work/tools"/usr/{bin,sbin,lib}
  ln -s usr/bin usr/sbin usr/lib "$work/tools/"
  roce_fetch "$work/debs" "$package" "${roce_uml_packages[@]}"
  for deb in "$work"/debs/*.deb; do
    roce_unpack "$deb" "$work/tools"
  done
  tar -xJf "$work"/tools/usr/src/linux-source-*.tar.xz -C "$work"
  source=$(find "$work" -maxdepth 1 -name 'linux-source-*')
  if ! (roce_make_uml "$source" "$work/tools/usr") >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "the user-mode kernel did not build, see $log; --engine qemu needs none"
  fi
  strip -o "$roce_state/linux.uml" "$source/linux"
  rm -rf "$work"
}

# roce_make_uml SOURCE PREFIX: in a shell of its own. The prefix has flex and bison, which look for their files at fixed
# paths unless told otherwise.
roce_make_uml() {
  local option
  export PATH=$2/bin:$PATH ARCH=um BISON_PKGDATADIR=$2/share/bison M4=$2/bin/m4
  cd "$1" || return 1
  {
    printf 'CONFIG_%s=y\n' "${roce_uml_options[@]}"
    printf '# CONFIG_%s is not set\n' SLOB SLUB_DEBUG IOMMU_SUPPORT
  } >wanted
  make -s allnoconfig KCONFIG_ALLCONFIG=wanted || return 1
  for option in "${roce_uml_needed[@]}"; do
    if ! grep -q "^CONFIG_$option=y" .config; then
      printf 'the configuration has no %s\n' "$option"
      return 1
    fi
  done
  make -s -j"$(nproc)" linux
}
