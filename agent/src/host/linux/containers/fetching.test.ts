import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workloadOrder } from '../../conformance-containers.ts';
import { failureOf, first, makeWork, ordersFor } from '../../conformance-rig.ts';
import type { Host } from '../../port.ts';
import { type Fixture, makeFixture } from '../testing/fixture.ts';
import { placesIn, usualContainers } from './settings.ts';

let fixture: Fixture;
let host: Host;
let gpus: readonly string[];
beforeEach(async () => {
  fixture = await makeFixture({ gpus: 1 });
  host = await fixture.open();
  const order = (await ordersFor(host, fixture.login)).user(first);
  gpus = order.expect.gpu_uuids;
  await host.provisionUser(order, makeWork());
});
afterEach(() => fixture.close());

const other = { image: `registry.test:5000/apps/web@sha256:${'d'.repeat(64)}` };
const login = () => ({ allocation_id: first, login: fixture.login });
const stop = () => host.stop({ ...login(), grace_seconds: 0 }, makeWork());
const running = () => [...fixture.containerPrograms.containers.values()].filter(({ status }) => status === 'running');
/** The registry gives nothing, and podman ends when it is killed. Resolves when it has been asked. */
function holdFetch(begin: () => Promise<void> = async () => undefined): Promise<void> {
  const asked = Promise.withResolvers<void>();
  fixture.containerPrograms.fetch = async (signal) => {
    await begin();
    asked.resolve();
    await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    return { status: 128, stdout: '', stderr: 'killed' };
  };
  return asked.promise;
}

describe('an image that does not arrive', () => {
  it.each([
    ['a stop of the machine', stop],
    ['the end of the lease', () => host.endRuntime(first)],
    ['a release', () => host.revokeUser(login(), makeWork())],
  ])('does not hold up %s, and what runs beside it ends at once', async (_, end) => {
    await host.launchContainer(workloadOrder(1), makeWork());
    const asked = holdFetch();
    const launched = failureOf(host.launchContainer(workloadOrder(2, other), makeWork()));
    await asked;
    expect(running()).toHaveLength(1);
    await end();
    expect(running()).toEqual([]);
    expect(await launched).toBe('lease_conflict');
  });

  it('does not start on a machine that was stopped meanwhile, also when it is the first one', async () => {
    const fetched = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    fixture.containerPrograms.fetch = async () => {
      asked.resolve();
      await fetched.promise;
      return { status: 0, stdout: '', stderr: '' };
    };
    const launched = failureOf(host.launchContainer(workloadOrder(1), makeWork()));
    await asked.promise;
    const stopped = stop();
    fetched.resolve();
    await stopped;
    expect(await launched).toBe('lease_conflict');
    expect(running()).toEqual([]);
  });
});

describe('a container that podman does not end', () => {
  it('counts as at work on a machine that was to stop', async () => {
    await host.launchContainer(workloadOrder(1), makeWork());
    fixture.answer = (argv) =>
      argv.includes('podman') && argv.includes('stop') ? { status: 125, stdout: '', stderr: 'stuck' } : undefined;
    expect(await failureOf(stop())).toBe('container_hung');
    expect(await host.gpusOf(first)).toEqual(gpus);
    fixture.answer = () => undefined;
    await stop();
    expect(await host.gpusOf(first)).toEqual([]);
  });
});

describe('an image that fills the disk', () => {
  it('is not fetched to its end, and nothing of it is left', async () => {
    let looks = 0;
    host = await fixture.open({
      containers: {
        ...usualContainers,
        registries: ['registry.test:5000'],
        get reserveBytes() {
          looks += 1;
          return looks > 2 ? Number.POSITIVE_INFINITY : 0;
        },
      },
    });
    const { fetching } = placesIn(join(fixture.folder, 'state/containers'));
    const asked = holdFetch(() => writeFile(join(fetching, 'half'), 'bytes'));
    const launched = failureOf(host.launchContainer(workloadOrder(1), makeWork()));
    await asked;
    expect(await launched).toBe('disk_full');
    expect(await readdir(fetching)).toEqual([]);
    expect(running()).toEqual([]);
  });
});
