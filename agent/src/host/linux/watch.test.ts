import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../clock.ts';
import { makeWork } from '../conformance-rig.ts';
import { type Argv, type CommandResult, statusMissing } from './commands.ts';
import { type Fixture, makeFixture } from './testing/fixture.ts';
import { makeWatch } from './watch.ts';
import { findXids, makeJournalLog, messagesOfKernel } from './xids.ts';

let fixture: Fixture;
afterEach(() => fixture?.close());

describe('how a host is', () => {
  it('is well when everything answers', async () => {
    fixture = await makeFixture({ gpus: 2 });
    const host = await fixture.open();
    const probe = await host.health(makeWork());
    expect(probe).toMatchObject({ healthy: true, checks: { gpus: { passed: true }, clock: { passed: true } } });
    expect(Object.keys(probe.checks).sort()).toEqual(['clock', 'gpus', 'kernel_log', 'nvidia_smi', 'ssh', 'storage']);
    expect(await host.utilization()).toEqual([0, 1]);
  });

  it.each([
    ['a GPU that the driver lost', 'gpus', 'GpusHealthy'],
    ['an error of the hardware in the kernel’s log', 'gpus', 'GpusHealthy'],
    ['a clock that nobody keeps', 'clock', 'ClockKept'],
    ['a host that cannot say whether its clock is kept', 'clock', 'ClockKept'],
    ['an sshd that does not answer', 'ssh', 'SshAnswers'],
    ['a driver that is not there', 'nvidia_smi', 'DriverReady'],
    ['a log that cannot be read', 'kernel_log', 'KernelLogReadable'],
  ])('is not well with %s', async (trouble, check, condition) => {
    fixture = await makeFixture({ gpus: 2, ...(trouble.includes('lost') && { silent: [1] }) });
    if (trouble.includes('hardware')) fixture.kernelLog = ['NVRM: Xid (PCI:0000:18:00): 48, pid=1, DBE'];
    const answering = (program: string, status: number, stdout: string) => {
      fixture.answer = (argv: Argv) => (argv[0] === program ? { status, stdout, stderr: '' } : undefined);
    };
    if (trouble.includes('nobody keeps')) answering('timedatectl', 0, 'no\n');
    if (trouble.includes('cannot say')) answering('timedatectl', statusMissing, '');
    if (trouble.includes('driver that')) answering('nvidia-smi', statusMissing, '');
    const host = await fixture.open({
      ...(trouble.includes('sshd') && { door: { address: '127.0.0.1', port: 1 } }),
      ...(trouble.includes('log that') && { kernelLog: { read: async () => ({ trouble: 'It is sealed.' }) } }),
    });
    const probe = await host.health(makeWork());
    expect(probe.healthy).toBe(false);
    expect(probe.checks[check]?.passed).toBe(false);
    expect((await host.conditions()).find(({ type }) => type === condition)?.status).toBe('False');
  });

  it('says since when it is so, and asks the driver once for several questions', async () => {
    fixture = await makeFixture({ gpus: 2 });
    const start = Date.parse('2026-03-04T05:06:07.000Z');
    let now = start;
    const host = await fixture.open({ clock: { now: () => new Date(now), sleep: async () => undefined } });
    await host.conditions();
    await host.utilization();
    expect(fixture.calls.filter(([program]) => program === 'nvidia-smi')).toHaveLength(1);
    now += 60_000;
    expect(new Set((await host.conditions()).map(({ since }) => since))).toEqual(
      new Set([new Date(start).toISOString()]),
    );
    fixture.answer = ([program]) => (program === 'timedatectl' ? { status: 0, stdout: 'no', stderr: '' } : undefined);
    now += 60_000;
    const clock = (await host.conditions()).find(({ type }) => type === 'ClockKept');
    expect(clock).toMatchObject({ status: 'False', since: new Date(now).toISOString() });
  });
});

describe('the words of the driver in the kernel’s log', () => {
  it('are about the GPU itself, or about a program, which is not its fault', () => {
    const lines = [
      "NVRM: Xid (PCI:0000:5D:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
      'NVRM: Xid (PCI:0000:18:00): 13, pid=4711, name=python3, Graphics Exception',
      'NVRM: Xid (PCI:0000:2a:00): 31, pid=4711, name=python3, MMU Fault',
      'usb 1-1: Xid is not a word',
    ];
    expect(findXids(lines)).toEqual([{ device: '0000:5d:00', code: 79, text: 'fallen off the bus' }]);
  });

  it('count when the kernel wrote them, and not when a program wrote them into its log', () => {
    // As journalctl prints them: the first by the driver, the others by `echo … > /dev/kmsg` and by logger(1).
    const records = [
      '{"__CURSOR":"s=1","_TRANSPORT":"kernel","PRIORITY":"3","SYSLOG_FACILITY":"0","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"NVRM: Xid (PCI:0000:5d:00): 79, GPU has fallen off the bus."}',
      '{"__CURSOR":"s=2","_TRANSPORT":"kernel","PRIORITY":"4","SYSLOG_FACILITY":"1","SYSLOG_IDENTIFIER":"NVRM","MESSAGE":"NVRM: Xid (PCI:0000:18:00): 79, forged"}',
      '{"__CURSOR":"s=3","_TRANSPORT":"kernel","PRIORITY":"3","SYSLOG_FACILITY":"3","MESSAGE":"NVRM: Xid (PCI:0000:18:00): 48, forged"}',
      '{"__CURSOR":"s=4","_TRANSPORT":"syslog","PRIORITY":"3","SYSLOG_FACILITY":"0","MESSAGE":"NVRM: Xid (PCI:0000:18:00): 48, forged"}',
      '{"__CURSOR":"s=5","_TRANSPORT":"kernel","PRIORITY":"3","MESSAGE":"NVRM: Xid (PCI:0000:18:00): 48, without a facility"}',
      'NVRM: Xid (PCI:0000:18:00): 48, no record',
    ];
    expect(findXids(messagesOfKernel(records))).toEqual([
      { device: '0000:5d:00', code: 79, text: 'fallen off the bus' },
    ]);
    const bytes = [...Buffer.from('NVRM: Xid (PCI:0000:5d:00): 48, \xff')];
    const odd = JSON.stringify({ _TRANSPORT: 'kernel', SYSLOG_FACILITY: '0', MESSAGE: bytes });
    expect(findXids(messagesOfKernel([odd]))).toHaveLength(1);
  });

  it('come from the journal, and none is not the same as no answer', async () => {
    const asked: Argv[] = [];
    const saying = (status: number, stdout: string, stderr = '') =>
      makeJournalLog({
        run: async (argv) => {
          asked.push(argv);
          return { status, stdout, stderr };
        },
      }).read();
    const record = (message: string) =>
      JSON.stringify({ _TRANSPORT: 'kernel', SYSLOG_FACILITY: '0', MESSAGE: message });
    expect(await saying(0, `${record('one')}\n${record('two')}\n`)).toEqual(['one', 'two']);
    expect(await saying(1, '')).toEqual([]);
    expect(await saying(1, '', 'No journal files were found.')).toHaveProperty('trouble');
    expect(await saying(statusMissing, '')).toHaveProperty('trouble');
    expect(asked[0]).toEqual(expect.arrayContaining(['--grep=NVRM: Xid', 'SYSLOG_FACILITY=0']));
  });
});

it('asks the driver one question at a time, and once for all who wait', async () => {
  const answers: (() => void)[] = [];
  const commands = {
    run: () =>
      new Promise<CommandResult>((resolve) => {
        answers.push(() => resolve({ status: 9, stdout: '', stderr: 'No devices' }));
      }),
  };
  const kernelLog = { read: async () => [] };
  const door = { address: '127.0.0.1', port: 1 };
  const inventory = { complete: async () => [], uuidAt: async () => undefined };
  const watch = makeWatch({ root: '/nowhere', homes: '/', commands, kernelLog, door, clock: systemClock, inventory });
  const looks = [watch.gpus(), watch.gpus(), watch.gpus('recent'), watch.gpus()];
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await Promise.all([looks[0], looks[2]]);
  // The two that wanted to know how it is now share a second question.
  await vi.waitUntil(() => answers.length > 1, { timeout: 30_000 });
  answers[1]?.();
  await Promise.all(looks);
  expect(answers).toHaveLength(2);
});
