import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { runSaga } from '../../../testing/sagas.ts';
import { asSystem } from '../../../testing/world.ts';
import { makeProvision } from '../sagas/provision.ts';
import { type Bench, openBench } from '../sagas/testing.ts';
import { openYard, sliceSku, testRegion, type Yard } from '../testing.ts';
import { readCandidates } from './candidates-store.ts';
import { makeCapacityIndex } from './capacity-index.ts';
import type { Decision } from './decide.ts';
import { redact } from './explain.ts';
import { openCapacityIndex } from './open-capacity-index.ts';
import { makePlacer } from './placer.ts';
import { makeReserveForNew } from './reserve-for-new.ts';

let yard: Yard;
let bench: Bench;
beforeAll(async () => {
  yard = await openYard();
  bench = await openBench(yard);
});
afterAll(async () => {
  await bench.close();
  await yard.close();
});
beforeEach(() => yard.removeNodes());

const gpus = 4;
/** Where a launch goes now, by a process that remembers these hosts as they are. It takes the slots and lets them go again. */
async function tryLaunch(remembered: readonly string[]): Promise<Decision> {
  const index = makeCapacityIndex();
  const { database } = yard.port;
  index.update(await database.read(yard.act(), (tx) => readCandidates(tx, remembered, 3_600)));
  const placer = makePlacer({ index, lostAfterSeconds: () => 3_600, candidates: () => 4, maxRepicks: () => 4 });
  const allocation = {
    ...{ id: systemIds.next(), organization_id: yard.organizationId, project_id: yard.projectId, group_id: null },
    ...{ name: 'a launch', tags: {}, requested_by: 'tester', sku: sliceSku, capacity_shape: 'gpu_slice' as const },
    ...{ gpu_count: gpus, region: testRegion, profile: null, image_id: null, price_id: null, unit_price_minor: 450n },
    ...{
      currency: 'USD',
      isolation_model: 'user-revoke' as const,
      login: null,
      max_duration_seconds: null,
      max_spend_minor: null,
    },
    ...{ idle_minutes: null, idle_action: null, queue_deadline_at: null, max_attempts: 1 },
  };
  const request = { sku: sliceSku, shape: 'gpu_slice', gpus, region: testRegion, fabric: true, nvme: true } as const;
  let decision: Decision | undefined;
  await database.write(yard.act(), async (tx) => {
    const wanted = [{ request, alternatives: async () => ({ counts: [], skus: [] }) }];
    const [place] = await placer.reserve(tx, wanted, makeReserveForNew(tx, systemIds, [allocation]));
    decision = place?.decision;
    return tx.abandon(new Fault('sku_unavailable', 'It was only tried.'));
  });
  if (!decision) throw new Error('a launch that was tried has no decision');
  return decision;
}
const wentTo = async (remembered: readonly string[]) => (await tryLaunch(remembered)).chosen?.node_id;

/** A host with a launch that its node answers with this failure, and an empty host that packing would spare. */
async function openScene() {
  const launch = await bench.allocation({ gpus });
  const other = await yard.addNode();
  const fail = (failure: string) =>
    runSaga(makeProvision(bench.parts), {
      params: { allocationId: launch.id, generation: launch.generation },
      look: () => 0,
      answer: () => launch.settle({ failure }),
    });
  return { failing: launch.nodeId, other: other.id, both: [launch.nodeId, other.id], fail };
}

describe('a host where a launch failed', () => {
  it('is avoided by the next launch, and used again after the time that the policy gives', async () => {
    const { failing, other, both, fail } = await openScene();
    expect(await wentTo(both)).toBe(failing);
    await fail('disk_dirty');
    const next = await tryLaunch(both);
    expect(next.chosen?.node_id).toBe(other);
    expect(redact(next).reasons).toMatchObject([
      { message: '1 host is avoided while others fit: a launch failed there recently.' },
    ]);
    await asSystem(
      yard.root,
      `update node_launch_failures set failed_at = failed_at - interval '31 minutes',
         avoided_until = avoided_until - interval '31 minutes' where node_id = $1`,
      [failing],
    );
    expect(await wentTo(both)).toBe(failing);
  });

  it('is used when no other fits, and another is found that memory does not know', async () => {
    const { failing, other, both, fail } = await openScene();
    await fail('disk_dirty');
    expect(await wentTo([failing])).toBe(other);
    expect(await wentTo([])).toBe(other);
    await asSystem(yard.root, 'update nodes set schedulable = false, version = version + 1 where id = $1', [other]);
    for (const remembered of [both, [failing], []]) {
      const last = await tryLaunch(remembered);
      expect(last.chosen).toMatchObject({ node_id: failing, launch_failed_at: expect.any(String) });
      expect(redact(last).reasons).toMatchObject([
        { message: 'A launch failed recently on the host that was chosen; no other host fits.' },
      ]);
    }
  });

  it('is not blamed for an image that could not be fetched', async () => {
    const { failing, both, fail } = await openScene();
    await fail('image_unavailable');
    expect(await wentTo(both)).toBe(failing);
  });

  it('is known to processes that place as soon as the failure is committed', async () => {
    const { failing, fail } = await openScene();
    const index = await openCapacityIndex({
      ...{ db: yard.port.database, ids: systemIds, clock: systemClock, log: silentLog, listen: yard.port.listen },
      lostAfterSeconds: () => 3_600,
    });
    try {
      await vi.waitFor(() => expect(index.get([failing])).toHaveLength(1), { timeout: 30_000 });
      expect(index.get([failing])[0]).not.toHaveProperty('launchFailedAt');
      await fail('disk_dirty');
      // Well before the index looks at all hosts again by itself.
      await vi.waitFor(() => expect(index.get([failing])[0]?.launchFailedAt).toBeDefined(), { timeout: 30_000 });
    } finally {
      await index.close();
    }
  }, 70_000);
});
