import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { failureOf, first, makeWork, readUntil, type Suite } from './conformance-rig.ts';

/** Whether a process still does anything: one that is dead and only not yet buried does not count. */
async function isRunning(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text !== '' && !text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
}

/** What a host promises about terminals. */
export function shellCases(suite: Suite): void {
  const { begin, can } = suite;
  describe('shells', () => {
    const order = () => ({ allocationId: first, username: suite.rig.login.username, columns: 91, rows: 17 });

    it('run on a real terminal of the size that was asked for, and of every later one', async () => {
      const { host, user } = await begin();
      await host.provisionUser(user(first), makeWork());
      if (!can('shells')) return expect(await failureOf(host.openShell(order()))).toBe('not_supported');
      const shell = await host.openShell(order());
      await shell.write(Buffer.from('stty size; tty; echo "first"-done\n'));
      const text = await readUntil(shell, /first-done/);
      expect(text).toMatch(/\b17 91\b/);
      expect(text).toMatch(/\/dev\/(?:pts|tty)/);
      shell.resize(120, 40);
      await shell.write(Buffer.from('stty size; echo "second"-done\n'));
      expect(await readUntil(shell, /second-done/)).toMatch(/\b40 120\b/);
      await shell.write(Buffer.from('exit 7\n'));
      await readUntil(shell, /$^/);
      expect(await shell.exited).toEqual({ code: 7 });
    });

    it('are never root’s, have no other groups, and know nothing of the agent', async () => {
      const { host, user } = await begin();
      await host.provisionUser(user(first), makeWork());
      if (!can('shells')) return expect(suite.rig.limitations).toContain('shells');
      const shell = await host.openShell(order());
      await shell.write(
        Buffer.from('echo "uid=$(id -u) groups=$(id -G)" vars=$(env | grep -c -i vitest) "all"-said\n'),
      );
      const said = /uid=(\d+) groups=([\d ]+) vars=(\d+) all-said/.exec(await readUntil(shell, /all-said\r/));
      expect(said?.[3]).toBe('0');
      if (process.getuid?.() === 0) {
        expect(Number(said?.[1])).toBeGreaterThanOrEqual(1_000);
        expect(said?.[2]?.split(' ')).toHaveLength(1);
      }
      shell.kill();
      await shell.exited;
    });

    it('end, with all that they started, when the login is taken away', async () => {
      const { host, user } = await begin();
      await host.provisionUser(user(first), makeWork());
      if (!can('shells')) return expect(suite.rig.limitations).toContain('shells');
      const shell = await host.openShell(order());
      await shell.write(Buffer.from('(setsid sleep 300 & echo "left $!"-behind); wait\n'));
      const pid = Number(/left (\d+)-behind/.exec(await readUntil(shell, /left \d+-behind/))?.[1]);
      expect(await isRunning(pid)).toBe(true);
      await host.revokeUser({ allocation_id: first, login: suite.rig.login }, makeWork());
      await shell.exited;
      expect(await isRunning(pid)).toBe(false);
    });

    it('end, with everything that they started and nothing else, when they are ended one by one', async () => {
      const { host, user } = await begin();
      await host.provisionUser(user(first), makeWork());
      if (!can('shells')) return expect(suite.rig.limitations).toContain('shells');
      const [one, other] = [await host.openShell(order()), await host.openShell(order())];
      const deaf = `trap '' HUP TERM; (setsid env -i sh -c 'trap "" HUP TERM; sleep 300 & echo "deaf $! 1"; wait' &)\n`;
      const leave = async (shell: typeof one) => {
        await shell.write(Buffer.from(deaf));
        return Number(/deaf (\d+) 1\r/.exec(await readUntil(shell, /deaf \d+ 1\r/))?.[1]);
      };
      const [left, spared] = [await leave(one), await leave(other)];
      expect([await isRunning(one.pid), await isRunning(left)]).toEqual([true, true]);
      await one.end();
      expect([await isRunning(one.pid), await isRunning(left)]).toEqual([false, false]);
      expect([await isRunning(other.pid), await isRunning(spared)]).toEqual([true, true]);
      await other.end();
      expect(await isRunning(spared)).toBe(false);
    });

    it('do not hold the agent up when a program takes no input', async () => {
      const { host, user } = await begin();
      await host.provisionUser(user(first), makeWork());
      if (!can('shells')) return expect(suite.rig.limitations).toContain('shells');
      const shell = await host.openShell(order());
      await shell.write(Buffer.from('stty raw -echo; echo "now"-deaf; sleep 300\n'));
      await readUntil(shell, /now-deaf/);
      let isTaken = false;
      const written = shell.write(Buffer.alloc(1_000_000, 'y')).then(() => (isTaken = true));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(isTaken).toBe(false);
      await shell.end();
      await written;
    });

    it('are opened only for those who have something running', async () => {
      const { host } = await begin();
      if (!can('shells')) return expect(suite.rig.limitations).toContain('shells');
      expect(await failureOf(host.openShell(order()))).toBe('not_found');
    });

    it('wait for a slow reader instead of keeping everything', async () => {
      const { host, user } = await begin();
      await host.provisionUser(user(first), makeWork());
      if (!can('shells')) return expect(suite.rig.limitations).toContain('shells');
      const shell = await host.openShell(order());
      await shell.write(Buffer.from('stty -echo -onlcr; echo "now"-quiet\n'));
      await readUntil(shell, /now-quiet\n/);
      await shell.write(Buffer.from('head -c 600000 /dev/zero | tr "\\0" x; echo "all"-there\n'));
      // Let it run into its wall, then read at leisure: every byte must still come.
      await new Promise((resolve) => setTimeout(resolve, 200));
      const text = await readUntil(shell, /all-there/);
      // Prompts have letters of their own.
      expect(/x{100,}/.exec(text)?.[0].length).toBe(600_000);
      shell.kill();
      await shell.exited;
    });
  });
}
