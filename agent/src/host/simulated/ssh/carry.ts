import { pipeline } from 'node:stream/promises';
import type { ServerChannel } from 'ssh2';
import type { Shell } from '../../port.ts';
import type { GuestProcess } from '../guests/guests.ts';

/** Joins a terminal and a channel until the program ends or the client leaves. */
export async function carryShell(shell: Shell, channel: ServerChannel): Promise<void> {
  channel.on('data', (bytes: Buffer) => {
    channel.pause();
    const goOn = () => channel.resume();
    shell.write(bytes).then(goOn, goOn);
  });
  channel.once('close', () => shell.kill());
  // An error is the client's leaving; the program is ended above.
  await pipeline(shell.output, channel, { end: false }).catch(() => undefined);
  const { code } = await shell.exited;
  channel.exit(code ?? 255);
  channel.end();
}

/** The same for a program without a terminal: its errors go their own way, and each side may close its half. */
export async function carryProcess({ child, exited, kill }: GuestProcess, channel: ServerChannel): Promise<void> {
  channel.once('close', kill);
  child.stdin.on('error', () => undefined);
  channel.pipe(child.stdin);
  const carried = [
    pipeline(child.stdout, channel, { end: false }),
    pipeline(child.stderr, channel.stderr, { end: false }),
  ];
  const code = await exited;
  await Promise.allSettled(carried);
  channel.exit(code ?? 255);
  channel.end();
}
