import { randomUUID } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { env } from 'node:process';
import { nodeTaskKinds, type TaskParams } from '@gpuaas/contract/node';
import fc from 'fast-check';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workloadOrder } from '../../conformance-containers.ts';
import { first, makeWork, ordersFor } from '../../conformance-rig.ts';
import { type Host, HostFailure, type Work } from '../../port.ts';
import { type Fixture, makeFixture } from '../testing/fixture.ts';
import { mischief, type Params, waysInto, withValue } from '../testing/mischief.ts';
import { create } from './argv.ts';
import { placesIn } from './settings.ts';

/**
 * Many values in every field that reaches podman, a file that it reads, or the firewall. What the schema refuses reaches nothing; what it
 * lets through is a value of its own option, a word behind the image, a line of the file of variables, or a number in a rule.
 */
const perField = Number(env['GPUAAS_HOSTILE_VALUES'] ?? 1_000);
/** How many of those that pass go all the way; each is a whole launch. */
const allTheWay = 1;
const seed = 20_261_118;
type Launch = TaskParams<'app.oci_launch'>;

let fixture: Fixture;
let host: Host;
let canary: string;
beforeAll(async () => {
  fixture = await makeFixture({ gpus: 1 });
  canary = join(fixture.folder, 'canary');
  host = await fixture.open();
  await host.provisionUser((await ordersFor(host, fixture.login)).user(first), makeWork());
});
afterAll(() => fixture.close());

const names = { allocation_id: first, workload_id: workloadOrder(1).workload_id };
const whole = (): Launch => ({
  ...workloadOrder(1),
  root: { kind: 'writable', size_mib: 16 },
  gpu_uuids: ['GPU-00000000-0000-4000-8000-000000000001'],
});
const methods = (): {
  type: keyof typeof nodeTaskKinds;
  good: Params;
  call: (params: never, work: Work) => Promise<unknown>;
}[] => [
  { type: 'app.oci_launch', good: whole(), call: host.launchContainer },
  { type: 'app.oci_stop', good: { ...names, grace_seconds: 1, remove_volumes: true }, call: host.stopContainer },
  { type: 'app.oci_status', good: names, call: host.containers },
  { type: 'app.oci_logs', good: { ...names, tail_lines: 10 }, call: host.containerLogs },
];

let known: ReadonlySet<string> | undefined;
/** Every option is one word with its value in it, and behind the image there is what the tenant wrote and nothing else. */
function expectSingleWords(order: Launch): void {
  const words = create({ order, spec: 'e'.repeat(64), imageId: 'f'.repeat(64), places: placesIn('/state'), logMib: 1 });
  const end = words.indexOf('--');
  const options = words.slice(1, end);
  const strange = options.find((word) => !/^--[a-z-]+(?:=.*)?$/s.test(word));
  if (strange !== undefined) expect.fail(`${JSON.stringify(strange)} is no option`);
  known ??= new Set(
    create({ order: whole(), spec: '', imageId: '', places: placesIn('/state'), logMib: 1 }).map(nameOf),
  );
  const all = known;
  const unknown = options.find(
    (word) => !all.has(nameOf(word)) && !['--read-only', '--read-only-tmpfs'].includes(nameOf(word)),
  );
  if (unknown !== undefined) expect.fail(`${unknown} is an option that nobody ordered`);
  if (words.slice(end + 2).some((word, index) => word !== order.args[index]))
    expect.fail('the words of the tenant changed');
}
const nameOf = (word: string) => word.split('=', 1)[0] ?? '';

describe('hostile values in every field of a container', () => {
  it('reach nothing when the schema refuses them, and stay values when it does not', async () => {
    let [refused, passed, launched] = [0, 0, 0];
    const values = fc.sample(mischief(canary), { numRuns: perField, seed });
    for (const { type, good, call } of methods()) {
      const schema = Compile(nodeTaskKinds[type].params as TSchema) as unknown as Validator;
      expect(schema.Check(good)).toBe(true);
      for (const way of waysInto(good)) {
        let left = type === 'app.oci_launch' ? allTheWay : 0;
        for (const value of values) {
          const params = withValue(good, way, value);
          fixture.calls.length = 0;
          if (!schema.Check(params)) {
            refused += 1;
            const outcome = await call(params as never, makeWork()).catch((error: unknown) => error);
            if (outcome instanceof TypeError && fixture.calls.length === 0) continue;
            expect.fail(`${type} ${way.join('.')}: ${JSON.stringify(value)} reached the host`);
          }
          passed += 1;
          if (type === 'app.oci_launch') expectSingleWords(params as unknown as Launch);
          if (left <= 0) continue;
          left -= 1;
          launched += 1;
          const isNamed = way[0] === 'workload_id';
          await launchAndLook({ ...(params as unknown as Launch), ...(!isNamed && { workload_id: randomUUID() }) });
        }
      }
    }
    await expect(lstat(canary)).rejects.toThrow(/ENOENT/);
    expect(refused).toBeGreaterThan(perField);
    expect(passed).toBeGreaterThan(perField);
    expect(launched).toBeGreaterThan(20);
  }, 300_000);

  it('are refused where they would be a tag, a host path, root, a capability or a network of the host', () => {
    const schema = Compile(nodeTaskKinds['app.oci_launch'].params as TSchema) as unknown as Validator;
    const digest = `sha256:${'c'.repeat(64)}`;
    const [volume] = whole().volumes;
    const wrong: Params[] = [
      ...[
        'registry.test/web:latest',
        'registry.test/web',
        `web@${digest}`,
        `registry.test/web:1@${digest}`,
        `-x/web@${digest}`,
      ].map((image) => ({ image })),
      ...['/proc', '/sys/fs', '/dev', '/etc/passwd', '/', 'data', '/a/../etc', '/a:/b', '/a,ro', '/a//b'].map(
        (path) => ({
          volumes: [{ ...volume, path }],
        }),
      ),
      { user: { uid: 0, gid: 1 } },
      { user: { uid: 1, gid: 0 } },
      ...['privileged', 'cap_add', 'network', 'devices', 'security_opt', 'mounts'].map((name) => ({ [name]: true })),
      { env: [{ name: 'A', value: 'one\ntwo' }] },
      { env: [{ name: 'A=B', value: '' }] },
      { args: ['a\0b'] },
    ];
    for (const more of wrong) expect(schema.Check({ ...whole(), ...more }), JSON.stringify(more)).toBe(false);
  });
});

const mayBeAsked = ['env', 'ip', 'nft', 'sysctl', 'findmnt', 'losetup', 'fallocate', 'mkfs.ext4', 'mount', 'umount'];
const probes = ['podman', 'crun'];
const word = /^[A-Za-z0-9_./:=,@*-]+$/;

async function launchAndLook(order: Launch): Promise<void> {
  await host.launchContainer(order, makeWork()).catch(tolerateFailure);
  const inside = fixture.calls
    .filter(([program]) => program === 'nsenter')
    .map((argv) => argv.slice(argv.indexOf('--') + 1) as [string, ...string[]]);
  expect(inside.map(([program]) => program).filter((name) => ![...mayBeAsked, ...probes].includes(name))).toEqual([]);
  // Only podman is ever given words of a tenant, and those behind the image.
  expect(inside.filter(([program, ...words]) => program !== 'env' && !words.every((one) => word.test(one)))).toEqual(
    [],
  );
  expect(fixture.containerPrograms.rules).toMatch(/^[A-Za-z0-9_\s{}"*@.,/=!;:-]*$/);
  const files = placesIn(join(fixture.folder, 'state/containers')).files(order.allocation_id, order.workload_id);
  const variables = await readFile(join(files, 'env'), 'utf8').catch(() => undefined);
  if (variables !== undefined)
    expect(variables).toBe(order.env.map(({ name, value }) => `${name}=${value}\n`).join(''));
  const { allocation_id, workload_id } = order;
  await host
    .stopContainer({ allocation_id, workload_id, grace_seconds: 0, remove_volumes: true }, makeWork())
    .catch(tolerateFailure);
}

function tolerateFailure(error: unknown): void {
  if (!(error instanceof HostFailure)) throw error;
}
