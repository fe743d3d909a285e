import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { makeDisk } from '../disk.ts';
import { silentLog } from '../telemetry/log.ts';
import { makeReleases, type Releases, type Trial } from './releases.ts';
import { healthyMessage, type Supervisor, startSupervisor } from './supervisor.ts';

const within = { timeout: 20_000 };
/** Programs in place of releases. */
const stays = 'setInterval(() => undefined, 1000);';
const programs = {
  old: `process.send('${healthyMessage}'); ${stays}`,
  /** Writes down and says that it is well, ends, and is there for good when it is started again. */
  good: `import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
    const again = existsSync(process.env.NOTES);
    const trial = JSON.parse(readFileSync(process.env.TRIAL, 'utf8'));
    writeFileSync(process.env.TRIAL, JSON.stringify({ ...trial, state: 'healthy' }));
    appendFileSync(process.env.NOTES, 'ran ');
    process.send('${healthyMessage}', () => again || process.exit(0));
    ${stays}`,
  mute: stays,
  broken: 'process.exit(3);',
};

let folder: string;
let releases: Releases;
let supervisor: Supervisor | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-supervisor-'));
  releases = makeReleases({ disk: makeDisk({ forced: false }), folder: join(folder, 'releases') });
});
afterEach(async () => {
  await supervisor?.close();
  supervisor = undefined;
  await rm(folder, { recursive: true, force: true });
});

async function adopt(name: keyof typeof programs): Promise<string> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, programs[name]);
  return releases.adopt(file);
}
/** The old release runs, and the other one is staged as an update would have left it. */
async function stage(name: keyof typeof programs, state: Trial['state'] = 'staged') {
  const [from, to] = [await adopt('old'), await adopt(name)];
  await releases.writeTrial({ task_id: 't', from, to, from_version: '1', to_version: '2', state });
  await releases.use(to);
  return { from, to };
}
const supervise = (healthyWithinMs: number) => {
  supervisor = startSupervisor({
    releases,
    program: process.execPath,
    args: ['run'],
    env: { PATH: process.env['PATH'], NOTES: join(folder, 'notes'), TRIAL: join(folder, 'releases/update.json') },
    healthyWithinMs,
    clock: systemClock,
    log: silentLog,
  });
};
const trial = async () => (await releases.readTrial())?.state;

describe('the supervisor of an agent', () => {
  it('keeps a release that reported in time, also when it ends later', async () => {
    const { to } = await stage('good');
    supervise(15_000);
    const notes = () => readFile(join(folder, 'notes'), 'utf8').catch(() => '');
    await expect.poll(notes, within).toBe('ran ran ');
    expect(await trial()).toBe('healthy');
    expect(await releases.current()).toBe(to);
  });

  it.each([
    ['ends at once', 'broken', 15_000, 'it ended before it was healthy'],
    ['says nothing in time', 'mute', 300, 'it was not healthy in time'],
  ] as const)('puts the old one back when the new one %s', async (_, name, healthyWithinMs, reason) => {
    const { from } = await stage(name);
    supervise(healthyWithinMs);
    await expect.poll(trial, within).toBe('rolled_back');
    await expect.poll(() => releases.current(), within).toBe(from);
    expect((await releases.readTrial())?.reason).toBe(reason);
  });

  it('ends a trial that an earlier supervisor was killed in, and points back to what worked', async () => {
    const { from } = await stage('mute', 'trying');
    supervise(15_000);
    await expect.poll(trial, within).toBe('rolled_back');
    await expect.poll(() => releases.current(), within).toBe(from);
  });
});

describe('the program of a package', () => {
  it('runs after it was installed, also over an update, and an update after that stays', async () => {
    const file = join(folder, 'package.mjs');
    const put = async (text: string) => {
      await writeFile(file, text);
      await releases.install(file);
      return releases.current();
    };
    const first = await put('1;');
    const update = await adopt('old');
    await releases.use(update);
    // The service was started again; nothing was installed.
    expect(await put('1;')).toBe(update);
    const second = await put('2;');
    expect([first, update]).not.toContain(second);
    expect(await readFile(releases.fileOf(second ?? ''), 'utf8')).toBe('2;');
  });
});
