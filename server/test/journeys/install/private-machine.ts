import { type ChildProcess, spawn } from 'node:child_process';

/**
 * This machine, in namespaces of its own: its files below an overlay, its processes apart. What is installed there is real, and
 * nothing of it reaches the machine that the test runs on. The network is shared, so that the control plane is reached.
 *
 * systemd can only be the first process of a machine; a script stands in for `systemctl`. It reads the unit, makes the folders
 * that the unit names, and starts what ExecStart says with the unit's settings and no other environment.
 */
export interface PrivateMachine {
  /** Runs a line of a shell, as root. Answers its status and everything it printed. */
  run(line: string): Promise<{ readonly status: number; readonly output: string }>;
  /** Files that are on this machine and not on the one below, or that were changed or removed. */
  changes(): Promise<string[]>;
  close(): Promise<void>;
}

const systemctl = `#!/bin/sh
unit=/usr/lib/systemd/system/gpuaas-node-agent.service
wants=/etc/systemd/system/multi-user.target.wants/gpuaas-node-agent.service
pid=/run/node-agent.pid
case "$1" in
  enable)
    [ "$2 $3" = "--now gpuaas-node-agent.service" ] || exit 1
    ln -sf "$unit" "$wants"
    set -a
    . "$(sed -n 's/^EnvironmentFile=//p' "$unit")"
    set +a
    mkdir -p -m 0700 "/var/lib/$(sed -n 's/^StateDirectory=//p' "$unit")"
    setsid sh -c "echo \\$\\$ >$pid; exec $(sed -n 's/^ExecStart=//p' "$unit")" >/run/node-agent.out 2>&1 </dev/null &
    ;;
  disable)
    rm -f "$wants"
    [ ! -f "$pid" ] || { kill "$(cat "$pid")"; while kill -0 "$(cat "$pid")" 2>/dev/null; do sleep 0.1; done; }
    rm -f "$pid" /run/node-agent.out
    ;;
  daemon-reload | try-restart | try-reload-or-restart) ;;
  *) exit 1 ;;
esac
`;
const sudo = '#!/bin/sh\nexec "$@"\n';

/** Everything before the marker is set up: no Node in any folder of programs, and the two scripts. */
const prepare = (quoted: (text: string) => string) => `set -eu
base=$(mktemp -d)
mount -t tmpfs none "$base"
mkdir "$base/upper" "$base/work" "$base/root"
mount -t overlay none -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" "$base/root"
mkdir -p "$base/root$base"
mount --bind "$base/upper" "$base/root$base"
for folder in proc dev sys; do mount --rbind "/$folder" "$base/root/$folder"; done
mount -t tmpfs none "$base/root/run"
mkdir -p "$base/root/run/sshd" "$base/root/etc/systemd/system/multi-user.target.wants" "$base/root/usr/local/sbin"
printf '%s' ${quoted(systemctl)} >"$base/root/usr/local/sbin/systemctl"
printf '%s' ${quoted(sudo)} >"$base/root/usr/local/sbin/sudo"
chmod 755 "$base/root/usr/local/sbin/systemctl" "$base/root/usr/local/sbin/sudo"
for folder in usr/local/sbin usr/local/bin usr/sbin usr/bin; do rm -f "$base/root/$folder/node" "$base/root/$folder/nodejs"; done
rm -rf "$base/root/var/log/gpuaas" "$base/root/var/lib/gpuaas" "$base/root/etc/gpuaas"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin UPPER="$base" chroot "$base/root" /bin/sh
`;

export async function openPrivateMachine(): Promise<PrivateMachine> {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const shell: ChildProcess = spawn(
    'unshare',
    ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child', 'sh', '-c', prepare(quoted)],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      shell.emit('printed');
    });
  }
  const gone = new Promise<void>((resolve) => shell.once('close', () => resolve()));
  let marks = 0;
  const run: PrivateMachine['run'] = async (line) => {
    marks += 1;
    const mark = `__done_${marks}__`;
    const ended = new RegExp(`^${mark} (\\d+)$`, 'm');
    printed = '';
    shell.stdin?.write(`( ${line}\n) </dev/null 2>&1; echo; echo "${mark} $?"\n`);
    while (!ended.test(printed)) {
      if (shell.exitCode !== null || shell.signalCode !== null) throw new Error(`the machine is gone: ${printed}`);
      await Promise.race([gone, new Promise<void>((resolve) => void shell.once('printed', resolve))]);
    }
    const output = printed.slice(0, printed.search(ended));
    return { status: Number(ended.exec(printed)?.[1]), output: output.trimEnd() };
  };
  return {
    run,
    async changes() {
      const { output } = await run('cd "$UPPER" && find . ! -type d');
      return output.split('\n').filter(Boolean).sort();
    },
    async close() {
      shell.stdin?.end();
      shell.kill('SIGKILL');
      await gone;
    },
  };
}
