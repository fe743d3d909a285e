#!/usr/bin/env bash
# Builds the disk image of a test guest from the programs of this machine and Debian's cloud kernel: a small system that boots by
# UEFI into memory, takes a NoCloud seed, and lets people in by SSH. Needs no root, no loop device and no mount.
# Usage: build.sh FOLDER; leaves FOLDER/image.raw.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
mkdir -p "$1"
cd "$1"
rm -rf tree kernel debs && mkdir -p tree kernel debs
package="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ { print $2; exit }')"
(cd debs && apt-get download -qq "$package" 2>/dev/null || apt-get download "$package")
dpkg-deb -x debs/linux-image-*.deb kernel

mkdir -p tree/{bin,sbin,usr/bin,usr/sbin,usr/lib,lib,lib64,etc/ssh,root/.ssh,var/empty,modules}
cp "$(command -v busybox)" tree/bin/busybox
for applet in $(tree/bin/busybox --list); do [ -e "tree/bin/$applet" ] || ln -s busybox "tree/bin/$applet"; done
# Programs with the libraries that they load.
put() {
  for file in "$@"; do
    mkdir -p "tree/$(dirname "$file")"
    cp -L "$file" "tree/$file"
    { ldd "$(readlink -f "$file")" 2>/dev/null || true; } | { grep -o '/[^ ]*' || true; } | while read -r library; do
      mkdir -p "tree/$(dirname "$library")"
      [ -e "tree/$library" ] || cp -L "$library" "tree/$library"
    done
  done
}
rm -f tree/bin/bash
put /usr/bin/bash /usr/sbin/sshd /usr/bin/jq /usr/bin/python3
ln -s /usr/bin/bash tree/bin/bash
[ ! -e /usr/lib/openssh/sshd-session ] || put /usr/lib/openssh/sshd-session
version="$(python3 -c 'import sys; print(f"{sys.version_info[0]}.{sys.version_info[1]}")')"
dpkg -L "libpython$version-minimal" | grep '^/usr/lib/python3' | while read -r file; do
  if [ -f "$file" ]; then mkdir -p "tree/$(dirname "$file")" && cp "$file" "tree/$file"; fi
done
for module in virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_blk failover net_failover \
  virtio_net rng-core virtio-rng cdrom isofs af_packet button evdev qemu_fw_cfg; do
  find kernel/lib/modules -name "$module.ko" -exec cp {} tree/modules/ \;
done

printf 'root:x:0:0:root:/root:/bin/bash\nsshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n' >tree/etc/passwd
printf 'root:*:19000:0:99999:7:::\nsshd:*:19000:0:99999:7:::\n' >tree/etc/shadow
printf 'root:x:0:\nnogroup:x:65534:\n' >tree/etc/group
printf 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n' >tree/etc/nsswitch.conf
printf '%s\n' 'HostKey /etc/ssh/ssh_host_ed25519_key' 'UsePAM no' 'PasswordAuthentication no' 'PidFile none' 'UseDNS no' \
  'AuthorizedKeysFile .ssh/authorized_keys' 'PermitRootLogin prohibit-password' >tree/etc/ssh/sshd_config
printf '%s\n' '#!/bin/sh' '[ "$1" = bound ] || exit 0' 'ip addr add "$ip/${mask:-24}" dev "$interface"' \
  '[ -n "$router" ] && ip route add default via "$router"' 'exit 0' >tree/etc/udhcpc.sh
chmod +x tree/etc/udhcpc.sh
install -m 755 "$here/init" tree/init
install -m 755 "$here/nvidia-smi" tree/usr/bin/nvidia-smi
install -m 755 "$here/apt-get" tree/usr/bin/apt-get
(cd tree && find . | cpio --quiet -o -H newc --owner=0:0 | gzip -1) >initrd.gz

# One file that the firmware starts: kernel, memory disk and command line.
# On a busy machine the timer of a translated processor comes too late for the checks of the kernel.
printf 'console=ttyS0 quiet net.ifnames=0 panic=-1 no_timer_check rcupdate.rcu_cpu_stall_suppress=1' >cmdline
objcopy --add-section .cmdline=cmdline --change-section-vma .cmdline=0x30000 \
  --add-section .linux="$(echo kernel/boot/vmlinuz-*)" --change-section-vma .linux=0x2000000 \
  --add-section .initrd=initrd.gz --change-section-vma .initrd=0x3000000 \
  /usr/lib/systemd/boot/efi/linuxx64.efi.stub system.efi
rm -f image.part esp
truncate -s 62M esp
mkfs.vfat -F 32 esp >/dev/null
mmd -i esp ::/EFI ::/EFI/BOOT
mcopy -i esp system.efi ::/EFI/BOOT/BOOTX64.EFI
truncate -s 64M image.part
printf 'label: gpt\nstart=2048, size=126976, type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B\n' | sfdisk --quiet image.part
dd if=esp of=image.part bs=1M seek=1 conv=notrunc,sparse status=none
rm -rf tree kernel debs esp system.efi initrd.gz cmdline
mv image.part image.raw
