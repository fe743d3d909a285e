import { describe, expect, it } from 'vitest';
import { makeCommands, statusLate } from './commands.ts';

describe('the limit of a program', () => {
  it('binds when a program that it started holds its output open', async () => {
    // Without the limit this would take an hour.
    const words = ['sh', '-c', 'sleep 3600 & exec sleep 3600'] as const;
    expect((await makeCommands().run(words, { limitMs: 200 })).status).toBe(statusLate);
    const left = ['sh', '-c', 'echo said; sleep 3600 & exit 0'] as const;
    expect(await makeCommands().run(left, { limitMs: 2_000 })).toMatchObject({ status: statusLate });
  });

  it('ends what the program started, too', async () => {
    const commands = makeCommands();
    const mark = `36${process.pid}`;
    await commands.run(['sh', '-c', `sleep ${mark} & exec sleep ${mark}`], { limitMs: 200 });
    const isLeft = async () => (await commands.run(['pgrep', '--full', `^sleep ${mark}$`])).status === 0;
    while (await isLeft()) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await isLeft()).toBe(false);
  });

  it('is not met by starting the same program beside one that is stuck', async () => {
    const commands = makeCommands();
    const words = ['sh', '-c', 'exec sleep 3600'] as const;
    const late = await commands.run(words, { limitMs: 200 });
    // Right at the limit the first one is not gone yet.
    expect((await commands.run(words, { limitMs: 3_600_000 })).status).toBe(late.status);
    expect((await commands.run(['true'])).status).toBe(0);
  });
});
