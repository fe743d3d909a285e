import { expect, it } from 'vitest';
import { openPty } from './pty.ts';

it('a program that goes on writing after its reader has left ends without an error', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('uncaughtException', note);
  try {
    const shell = await openPty({
      file: '/bin/sh',
      // Told to hang up, it writes for a moment longer.
      args: [
        '-c',
        "trap 'i=0; while [ $i -lt 2000 ]; do echo still here; i=$((i+1)); done; exit 0' HUP; echo up; while :; do sleep 0.01; done",
      ],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      columns: 80,
      rows: 24,
    });
    const reader = shell.output.getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toContain('up');
    await reader.cancel();
    expect(await shell.exited).toMatchObject({});
    await shell.end();
    expect(unhandled).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
  }
});
