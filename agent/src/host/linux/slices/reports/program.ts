/** Where a machine reports: at the address of the bridge alone, which nothing but its own host and its slices reach. */
export const guestPort = 9_110;
export const telemetryPath = '/internal/v1/guest-telemetry';
export const progressPath = '/internal/v1/guest-progress';
/** How often a machine reports how it is. */
export const guestEverySeconds = 30;

export const programPath = '/usr/local/sbin/gpuaas-guest';
const settingsPath = '/etc/gpuaas-guest';
const unitPath = '/etc/systemd/system/gpuaas-guest.service';

/** What the driver is asked for inside the machine. It is the first line of a section, so that the host knows the columns. */
export interface GuestSettings {
  readonly gateway: string;
  readonly token: string;
  /** Packages of a driver to install at the first boot; none for an image that brings its own. */
  readonly driverPackages: readonly string[];
}

/** Files of the first boot, in the form of cloud-init. Only root of the machine reads the token. */
export const guestFiles = (settings: GuestSettings, gpuQuery: readonly string[]) => [
  { path: programPath, permissions: '0755', content: guestProgram(gpuQuery) },
  {
    path: settingsPath,
    permissions: '0600',
    content: `host=${settings.gateway}\nport=${guestPort}\ntoken=${settings.token}\ndriver='${settings.driverPackages.join(' ')}'\n`,
  },
  {
    path: unitPath,
    permissions: '0644',
    content: `[Unit]
Description=Tells the host of this machine how its GPUs are
After=network-online.target
[Service]
ExecStart=${programPath} run
Restart=always
RestartSec=${guestEverySeconds}
[Install]
WantedBy=multi-user.target
`,
  },
];

/**
 * The program inside the machine: bash, and what every small system has. It speaks HTTP by the sockets of bash, so it needs no other
 * program. What it sends is what the kernel and the driver of the machine say, as they say it; the host reads it.
 */
const guestProgram = (gpuQuery: readonly string[]) => `#!/bin/bash
# Tells the host of this machine how it is and how its first boot went. Written by GPUaaS; nothing that it sends changes a price.
export LC_ALL=C PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin
. ${settingsPath}
log=/var/log/gpuaas-guest.log
mkdir -p /var/log

post() {
  local body status
  body="$(head -c 60000)"
  exec 3<>"/dev/tcp/$host/$port" || return 1
  printf 'POST %s HTTP/1.0\\r\\nAuthorization: Bearer %s\\r\\nContent-Type: text/plain\\r\\nContent-Length: %s\\r\\n\\r\\n%s' \\
    "$1" "$token" "\${#body}" "$body" >&3
  read -r -t 10 _ status _ <&3
  exec 3>&-
  [ "$status" = 204 ]
}
sample() {
  {
    echo '== gpus'
    timeout 15 ${gpuQuery.join(' ')} 2>/dev/null
    echo '== stat'
    head -n 1 /proc/stat
    echo '== meminfo'
    grep -E '^Mem(Total|Available):' /proc/meminfo
    echo '== diskstats'
    grep -E ' (sd[a-z]+|vd[a-z]+|xvd[a-z]+|nvme[0-9]+n[0-9]+) ' /proc/diskstats
    echo '== net'
    grep : /proc/net/dev
    echo '== disk'
    df -Pk / | tail -n 1
  } | post ${telemetryPath}
}
# The host must hear how the first boot went, so this is tried for a while.
tell() {
  local words="$*"
  echo "gpuaas-guest: $words" | tee -a "$log" >/dev/console 2>/dev/null
  for pause in 1 2 4 8 8 8 8 8; do
    printf '%s' "$words" | timeout 15 "$0" post ${progressPath} && return 0
    sleep "$pause"
  done
  return 1
}
# The last line of what a package manager said, for the one who reads the reason.
last_words() { tail -n 1 "$log" | tr -cd ' -~' | cut -c 1-120; }
install_driver() {
  if command -v apt-get >/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    timeout 300 apt-get -o APT::Update::Error-Mode=any -o Acquire::Retries=2 update >>"$log" 2>&1 || {
      why="The mirror of packages cannot be reached: $(last_words)"
      return 1
    }
    timeout 1200 apt-get install -y --no-install-recommends $driver >>"$log" 2>&1
  elif command -v dnf >/dev/null; then
    timeout 1200 dnf install -y $driver >>"$log" 2>&1
  else
    why='The image has neither apt-get nor dnf.'
    return 1
  fi || {
    why="The driver cannot be installed: $(last_words)"
    return 1
  }
  modprobe nvidia >>"$log" 2>&1
  timeout 60 nvidia-smi >>"$log" 2>&1 || {
    why="The driver is installed and does not answer: $(last_words)"
    return 1
  }
}
setup() {
  tell system done
  if [ -n "$driver" ]; then
    tell driver began
    if install_driver; then tell driver done; else tell driver failed "$why"; return 1; fi
  fi
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload && systemctl enable --now gpuaas-guest.service >>"$log" 2>&1
  else
    setsid "$0" run </dev/null >/dev/null 2>&1 &
  fi
  tell setup done
}
case "$1" in
  post) post "$2" ;;
  sample) sample ;;
  tell) shift && tell "$@" ;;
  setup) setup ;;
  run) while :; do timeout 40 "$0" sample; sleep ${guestEverySeconds}; done ;;
  *) echo "usage: $0 setup | run | sample | tell PHASE STATE [REASON]" >&2; exit 2 ;;
esac
`;
