import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureOf, first, imageBytes, key, makeWork, ordersFor } from '../../conformance-rig.ts';
import { type Fixture, makeFixture, treeSlices } from '../testing/fixture.ts';

let fixture: Fixture;
afterEach(() => fixture.close());

/** A host with one slice that runs. */
async function begin() {
  fixture = await makeFixture();
  const digest = createHash('sha256').update(imageBytes).digest('hex');
  const images = join(fixture.folder, 'state/images');
  await mkdir(images, { recursive: true });
  await writeFile(join(images, `${digest}.raw`), imageBytes);
  const host = await fixture.open({ slices: treeSlices() });
  const params = (await ordersFor(host, fixture.login)).slice(first, [0]);
  await host.provisionSlice(params, makeWork());
  const order = { allocation_id: first, login: fixture.login };
  return {
    host,
    gpus: params.expect.gpu_uuids,
    stop: (graceSeconds: number) => host.stop({ ...order, grace_seconds: graceSeconds }, makeWork()),
    start: () => host.start({ ...order, authorized_keys: [key('a')], expect: params.expect }, makeWork()),
  };
}
const isOn = () => fixture.slicePrograms.machines.get(first)?.running;

describe('the GPUs of a slice', () => {
  it('are at work while it starts, also when its tenant lets nobody in, and no longer once it is off again', async () => {
    const { host, gpus, stop, start } = await begin();
    await stop(0);
    expect(await host.gpusOf(first)).toEqual([]);
    fixture.answer = ([program]) =>
      program === 'ssh' ? { status: 255, stdout: '', stderr: 'Connection refused' } : undefined;
    const starting = failureOf(start());
    await vi.waitFor(() => expect(isOn()).toBe(true), { interval: 5 });
    expect(await host.gpusOf(first)).toEqual(gpus);
    expect(await starting).toBe('ssh_unreachable');
    expect(isOn()).toBe(false);
    expect(await host.gpusOf(first)).toEqual([]);
  });

  it('are at work while it shuts down, until it is off', async () => {
    const { host, gpus, stop } = await begin();
    // It does not listen, and is switched off when its time is over.
    fixture.answer = (argv) => (argv.includes('shutdown') ? { status: 0, stdout: '', stderr: '' } : undefined);
    const stopping = stop(1);
    await vi.waitFor(() => expect(fixture.calls.some((argv) => argv.includes('shutdown'))).toBe(true), { interval: 5 });
    expect(await host.gpusOf(first)).toEqual(gpus);
    await stopping;
    expect(await host.gpusOf(first)).toEqual([]);
  });
});
