import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { workloadOrder } from '../../conformance-containers.ts';
import { failureOf, first, makeWork, ordersFor } from '../../conformance-rig.ts';
import { openSimulatedHost, type SimulatedHost } from '../host.ts';

let folder: string;
let host: SimulatedHost;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-host-'));
  const pace = { speed: Number.POSITIVE_INFINITY };
  host = await openSimulatedHost({ seed: 'containers-1', folder, clock: systemClock, pace });
  const { user } = await ordersFor(host, { username: 'ada', uid: 20_001, gid: 20_001 });
  await host.provisionUser(user(first), makeWork());
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});
const launch = (work = makeWork()) => host.launchContainer(workloadOrder(1), work);
const list = () => host.containers({ allocation_id: first }, makeWork());

describe('a simulated container', () => {
  it('is not there when its image cannot be fetched, and runs when it can be', async () => {
    await host.faults.set({ fault: 'image_unavailable', once: true });
    expect(await failureOf(launch())).toBe('image_unavailable');
    expect(await list()).toEqual([]);
    expect(await launch()).toMatchObject({ state: 'running', simulated: true });
  });

  it('that crashes says how it ended, in its state and in a log that says it is simulated', async () => {
    await host.faults.set({ fault: 'container_crash', once: true });
    expect(await failureOf(launch())).toBe('container_failed');
    expect(await list()).toMatchObject([{ state: 'exited', exit_code: 1, address: null }]);
    const { workload_id } = workloadOrder(1);
    const { lines } = await host.containerLogs({ allocation_id: first, workload_id, tail_lines: 100 }, makeWork());
    expect(lines.at(-1)).toMatchObject({ stream: 'stderr', text: '[simulated] ended with 1' });
    expect(await launch()).toMatchObject({ state: 'running', exit_code: null });
  });

  it('whose launch hangs moves again when it is called off', async () => {
    await host.faults.set({ fault: 'container_hung', once: true });
    const work = makeWork();
    const hanging = failureOf(launch(work));
    await expect.poll(() => host.faults.list()).toEqual([]);
    expect(await list()).toMatchObject([{ state: 'making' }]);
    work.abort();
    expect(await hanging).toBe('aborted');
    expect(await launch()).toMatchObject({ state: 'running' });
  });

  it('keeps no value of a variable', async () => {
    await launch();
    const [secret] = workloadOrder(1).env;
    expect(JSON.stringify(host.state)).toContain(secret?.name);
    expect(JSON.stringify(host.state)).not.toContain('quoted');
  });
});
