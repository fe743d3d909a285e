import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ociMost } from '@gpuaas/contract/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workloadOrder } from '../../conformance-containers.ts';
import { failureOf, first, makeWork, ordersFor } from '../../conformance-rig.ts';
import type { Host } from '../../port.ts';
import { Dead, type Fixture, makeFixture } from '../testing/fixture.ts';
import { readTail } from './logs.ts';
import { placesIn } from './settings.ts';

describe('a container on a tree', () => {
  let fixture: Fixture;
  let host: Host;
  beforeEach(async () => {
    fixture = await makeFixture({ gpus: 1 });
    host = await fixture.open();
    await host.provisionUser((await ordersFor(host, fixture.login)).user(first), makeWork());
  });
  afterEach(() => fixture.close());
  const launch = (more = {}) => host.launchContainer(workloadOrder(1, more), makeWork());
  const nothingLeft = async () => {
    const { containers, namespaces, mounts, links } = fixture.containerPrograms;
    expect([containers.size, namespaces.size, mounts.size]).toEqual([0, 0, 0]);
    expect([...links].filter((name) => name.startsWith('gpuaas-v'))).toEqual([]);
    expect(await host.containers({ allocation_id: first }, makeWork())).toEqual([]);
  };
  /** Podman says something else about what it made than was ordered. */
  const lieAbout = (member: string, value: unknown) => {
    fixture.answer = (argv) => {
      const name = argv.at(-1) ?? '';
      const made = fixture.containerPrograms.containers.get(name);
      if (!argv.includes('container') || made?.status !== 'created') return undefined;
      const text = JSON.stringify([fixture.containerPrograms.inspect(name)]);
      const [seen] = JSON.parse(text) as [Record<string, Record<string, unknown>>];
      if (member in seen) Object.assign(seen, { [member]: value });
      else Object.assign(seen['HostConfig'] ?? {}, { [member]: value });
      return { status: 0, stdout: JSON.stringify([seen]), stderr: '' };
    };
  };

  it.each([
    ['EffectiveCaps', ['CAP_SYS_ADMIN']],
    ['Privileged', true],
    ['Memory', 0],
    ['PidsLimit', 0],
    ['ReadonlyRootfs', false],
    ['NetworkMode', 'host'],
    ['SecurityOpt', ['no-new-privileges', 'seccomp=unconfined']],
    ['Mounts', [{ Type: 'volume', Source: '/x', Destination: '/unbounded', RW: true }]],
    ['Image', '0'.repeat(64)],
  ])('is not started when podman made it with another %s, and leaves nothing', async (member, value) => {
    lieAbout(member, value);
    expect(await failureOf(launch())).toBe('workload_invalid');
    expect(fixture.calls.some((argv) => argv.includes('podman') && argv.includes('start'))).toBe(false);
    fixture.answer = () => undefined;
    await nothingLeft();
  });

  it('has walls before it has a cable, and none of its rules stays behind', async () => {
    await launch({ egress: 'internet' });
    const words = fixture.calls.map((argv) => argv.slice(argv.indexOf('--') + 1).join(' '));
    const loaded = words.findIndex((text) => text.startsWith('nft --file'));
    expect(loaded).toBeGreaterThan(-1);
    expect(loaded).toBeLessThan(words.findIndex((text) => text.startsWith('ip link add name gpuaas-v')));
    const { rules } = fixture.containerPrograms;
    expect(rules).toContain('ip daddr 10.101.0.10 tcp dport { 8080 } accept');
    expect(rules).toMatch(/elements = \{ 10\.101\.0\.10 \}/);
    expect(rules).toContain('169.254.0.0/16');
    await host.revokeUser({ allocation_id: first, login: fixture.login }, makeWork());
    expect(fixture.containerPrograms.rules).not.toContain('chain');
    await nothingLeft();
    expect(await readdir(placesIn(join(fixture.folder, 'state/containers')).records)).toEqual([]);
  });

  it('is launched once, wherever the agent dies on the way', async () => {
    for (let step = 1; ; step += 3) {
      fixture.dieAt(step, step % 2 === 0 ? 'before' : 'after');
      const outcome = await launch().catch((error: unknown) => error);
      if (!fixture.isDead) break;
      expect(outcome).toBeInstanceOf(Dead);
      host = await fixture.open();
      expect(await launch()).toMatchObject({ state: 'running' });
      expect(fixture.containerPrograms.containers.size).toBe(1);
      expect(fixture.containerPrograms.mounts.size).toBe(1);
      fixture.containerPrograms.containers.clear();
    }
    host = await fixture.open();
    await host.revokeUser({ allocation_id: first, login: fixture.login }, makeWork());
    await nothingLeft();
  });

  it('does not mount a volume that is attached somewhere else', async () => {
    fixture.answer = (argv) =>
      argv.includes('losetup') && argv.includes('--list')
        ? { status: 0, stdout: '/dev/loop7\n', stderr: '' }
        : undefined;
    expect(await failureOf(launch())).toBe('host_not_ready');
    expect(fixture.calls.some((argv) => argv.includes('mount') && argv.includes('--types=ext4'))).toBe(false);
    fixture.answer = () => undefined;
  });
});

describe('the end of a log', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gpuaas-log-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const at = '2026-01-01T00:00:00.123456789+00:00';

  it('joins lines that were written in pieces, keeps streams apart and drops what is no text', async () => {
    const path = join(folder, 'log');
    const rows = [`${at} stdout P a`, `${at} stderr F b\0`, `${at} stdout F c`, 'no line at all', `${at} stdout F `];
    await writeFile(
      path,
      Buffer.concat([Buffer.from(`${rows.join('\n')}\n${at} stdout F `), Buffer.from([0xff, 0x0a])]),
    );
    const { lines, truncated } = await readTail(path, 10);
    expect(lines.map(({ stream, text }) => `${stream} ${text}`)).toEqual([
      'stderr b\ufffd',
      'stdout ac',
      'stdout ',
      'stdout \ufffd',
    ]);
    expect(lines[0]?.at).toBe('2026-01-01T00:00:00.123Z');
    expect(truncated).toBe(false);
    expect(await readTail(join(folder, 'missing'), 10)).toEqual({ lines: [], truncated: false });
  });

  it('has a bound in lines and in bytes', async () => {
    const path = join(folder, 'log');
    await writeFile(
      path,
      Array.from({ length: 2_000 }, (_, index) => `${at} stdout F ${index} ${'x'.repeat(300)}\n`).join(''),
    );
    const few = await readTail(path, 3);
    expect(few.lines.map(({ text }) => text.split(' ')[0])).toEqual(['1997', '1998', '1999']);
    const many = await readTail(path, 1_000);
    const bytes = many.lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThanOrEqual(ociMost.logBytes);
    expect([few.truncated, many.truncated]).toEqual([true, true]);
  });
});
