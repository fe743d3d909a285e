#!/bin/sh
# Puts the node agent on this host, from the folder that this script lies in. It needs root and no network.
#
#   sh install.sh [--root DIR]
#
# It writes the files that files.sha256 names and nothing else. Enrol the host afterwards (node-agent --help);
# node-agent uninstall takes everything away again.
set -eu
umask 022

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

root=
while [ $# -gt 0 ]; do
  case $1 in
    --root)
      [ $# -ge 2 ] || fail "--root needs a folder"
      root=${2%/}
      shift 2
      ;;
    *) fail "there is no option $1; the only one is --root DIR" ;;
  esac
done

here=$(cd "$(dirname "$0")" && pwd)
[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "this needs root: run it with sudo"
[ "$(uname -m)" = "$(cat "$here/machine")" ] ||
  fail "this package is for $(cat "$here/machine"), and this host is $(uname -m)"
[ ! -e "$root/var/lib/dpkg/info/gpuaas-node-agent.list" ] ||
  fail "the agent was installed as a Debian package: install the new .deb with apt-get, or purge it first"
(cd "$here" && sha256sum -c files.sha256 >/dev/null) || fail "a file of the package is damaged: fetch the package again"
"$here/root/usr/lib/gpuaas/bin/node" --version >/dev/null ||
  fail "the runtime does not start: it needs glibc 2.28 and libstdc++ 6 or later"

list=usr/lib/gpuaas/files.txt
# What an earlier version had and this one has not.
if [ -f "$root/$list" ]; then
  while IFS= read -r path; do
    grep -qxF -- "$path" "$here/root/$list" || rm -f -- "$root/$path"
  done <"$root/$list"
fi
while IFS= read -r path; do
  mkdir -p "$root/$(dirname "$path")"
  # Put beside and renamed: an agent that runs keeps the file that it was started from.
  cp -- "$here/root/$path" "$root/$path.next"
  mv -f -- "$root/$path.next" "$root/$path"
done <"$here/root/$list"

if [ -z "$root" ] && command -v systemctl >/dev/null; then
  systemctl daemon-reload
  systemctl try-restart gpuaas-node-agent.service
fi
echo "The node agent $("$root/usr/lib/gpuaas/bin/node" "$root/usr/lib/gpuaas/node-agent.mjs" --version) is installed."
