import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeDisk } from '../../../../disk.ts';
import { first, imageBytes, makeWork, ordersFor } from '../../../conformance-rig.ts';
import { type Fixture, makeFixture, treeSlices } from '../../testing/fixture.ts';
import { makeSliceRecords } from '../records.ts';
import type { SliceSettings } from '../settings.ts';
import type { Setup } from './progress.ts';

let fixture: Fixture;
afterEach(() => fixture.close());

describe('a slice whose image brings no driver', () => {
  const installing = async (settings: Partial<SliceSettings> = {}) => {
    fixture = await makeFixture();
    const images = join(fixture.folder, 'state/images');
    await mkdir(images, { recursive: true });
    await writeFile(join(images, `${createHash('sha256').update(imageBytes).digest('hex')}.raw`), imageBytes);
    const slices = { ...treeSlices(), driverPackages: ['nvidia-test'], setupMs: 4_000, ...settings };
    const host = await fixture.open({ slices });
    const orders = await ordersFor(host, fixture.login);
    const order = orders.slice(first, [0]);
    return {
      host,
      release: () => host.releaseSlice(orders.release(first, [0]), makeWork()),
      order: { ...order, image: { ...order.image, driver_strategy: 'cloud_init' as const } },
    };
  };
  /** Writes down what the machine says, as the door does. */
  const says = async (setup: Setup) => {
    const folder = join(fixture.folder, 'state/slices');
    const records = makeSliceRecords({ disk: makeDisk({ forced: false }), folder });
    await expect.poll(async () => (await records.get(first))?.state).toBe('making');
    await records.change(first, (now) => now && { ...now, setup });
  };
  const atReadiness = (setup: Setup) => {
    const work = makeWork();
    work.onPhase = (phase) => void (phase === 'readiness' && says(setup));
    return work;
  };

  it('waits for a machine that installs its driver, and is ready when it is done', async () => {
    const { host, order } = await installing();
    const work = atReadiness({ phase: 'setup', state: 'done', reason: '' });
    expect((await host.provisionSlice(order, work)).gpus).toHaveLength(1);
  });

  it('fails with the reason that its machine gives, or that it gave none in time', async () => {
    const { host, order, release } = await installing();
    const work = atReadiness({ phase: 'driver', state: 'failed', reason: 'The mirror is away' });
    await expect(host.provisionSlice(order, work)).rejects.toMatchObject({
      code: 'guest_setup_failed',
      message: 'The first boot of the machine failed at driver: The mirror is away',
    });
    await release();
    await expect(host.provisionSlice(order, makeWork())).rejects.toThrow('did not end in its time: it said nothing');
  });

  it('is refused on a host that names no packages of a driver', async () => {
    const { host, order } = await installing({ driverPackages: [] });
    await expect(host.provisionSlice(order, makeWork())).rejects.toThrow('set GPUAAS_SLICE_DRIVER_PACKAGES');
    expect(fixture.slicePrograms.machines.size).toBe(0);
  });
});
