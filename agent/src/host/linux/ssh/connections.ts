import { readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Processes } from '../removal/processes.ts';

/** What an SSH connection of a login runs in, by the name of its program: before and since OpenSSH 9.8. */
const programs = ['sshd', 'sshd-session'];

/**
 * Ends the SSH connections of a login. sshd does not say which key opened which of its connections in a way that a tenant could not
 * forge, so all of them end: people whose keys are still there connect again.
 */
export async function endConnections(
  processes: Pick<Processes, 'of' | 'signal'>,
  uid: number,
  exeOf = (pid: number): Promise<string> => readlink(`/proc/${pid}/exe`),
): Promise<number> {
  const found = await Promise.all(
    (await processes.of(uid)).map(async (pid) => {
      // A program that was replaced while it ran is shown with a word behind its path.
      const exe = (await exeOf(pid).catch(() => '')).replace(/ \(deleted\)$/, '');
      return programs.includes(basename(exe)) ? [pid] : [];
    }),
  );
  const connections = found.flat();
  for (const pid of connections) processes.signal(pid, 'SIGTERM');
  return connections.length;
}
