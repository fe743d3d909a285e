import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { makeWork, ordersFor } from '../conformance-rig.ts';
import { HostFailure } from '../port.ts';
import { openSimulatedHost } from './host.ts';
import type { HostState } from './state.ts';
import { Dead, makeCutFile, makeMemoryFile } from './testing.ts';

const login = { username: 'ada', uid: 20_001, gid: 20_001 };
const allocations = [1, 2, 3].map((number) => `0191b2c4-0000-7000-8000-00000000000${number}`);
/** Which slots each of the three is given; the third wants what the others may have. */
const wants = [[0], [1, 2], [2, 3]];

/** Nothing stands on the host without a lease that owns every device of it, and no disk holds data of nobody. */
function problemsOf(state: HostState): string[] {
  const owners = new Map(Object.entries(state.devices).map(([address, { owner }]) => [address, owner?.allocation_id]));
  return [
    ...Object.entries(state.machines).flatMap(([id, machine]) =>
      machine.slots
        .filter(({ pci_address }) => owners.get(pci_address) !== id)
        .map(({ pci_address }) => `machine ${id} has ${pci_address} without a lease`),
    ),
    ...Object.entries(state.disks).flatMap(([disk, { content, tenant }]) =>
      content === 'used' && (tenant === null || ![...owners.values()].includes(tenant))
        ? [`${disk} holds data of ${tenant}, who has no lease`]
        : [],
    ),
    ...Object.entries(state.devices).flatMap(([address, { driver, owner }]) =>
      driver === 'vfio-pci' && !owner ? [`${address} is given away, and nobody has it`] : [],
    ),
  ];
}

const folder = join(tmpdir(), `gpuaas-host-of-nobody-${process.pid}`);

it('whenever the agent dies, no machine is left without the lease that owns it, and everything can be released', async () => {
  const step = fc.record({
    what: fc.constantFrom('provision' as const, 'release' as const, 'end' as const),
    who: fc.integer({ min: 0, max: 2 }),
    /** At which write of this step the process dies, if it gets there, and whether the write still arrives. */
    dies: fc.option(fc.record({ write: fc.integer({ min: 1, max: 9 }), after: fc.boolean() }), { freq: 2 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const file = makeMemoryFile();
      const open = (dies?: { write: number; after: boolean } | null) =>
        openSimulatedHost({
          seed: 'crashing-1',
          folder,
          clock: systemClock,
          pace: { speed: Number.POSITIVE_INFINITY },
          stateFile: makeCutFile(file, dies ?? undefined),
        });
      const orders = await ordersFor(await open(), login);
      const run = async (host: Awaited<ReturnType<typeof open>>, { what, who }: (typeof steps)[number]) => {
        const [id = '', slots = []] = [allocations[who], wants[who]];
        if (what === 'provision') await host.provisionSlice(orders.slice(id, slots), makeWork());
        else if (what === 'release') await host.releaseSlice(orders.release(id, slots), makeWork());
        else await host.endRuntime(id);
      };
      for (const one of steps) {
        await run(await open(one.dies), one).catch((error: unknown) => {
          if (error instanceof Dead) return;
          if (!(error instanceof HostFailure && error.code === 'lease_conflict')) throw error;
        });
        expect(problemsOf((await open()).state)).toEqual([]);
      }
      const host = await open();
      for (const who of [0, 1, 2]) {
        await run(host, { what: 'release', who, dies: null }).catch((error: unknown) => {
          // The third and the second may stand in each other's way; whoever holds nothing is refused.
          if (!(error instanceof HostFailure && error.code === 'lease_conflict')) throw error;
        });
      }
      await run(host, { what: 'release', who: 1, dies: null });
      expect(await host.runtimes()).toEqual([]);
      expect(Object.values(host.state.disks).every(({ content, tenant }) => content === 'clean' && !tenant)).toBe(true);
      expect(Object.values(host.state.devices).every(({ owner }) => owner === null)).toBe(true);
    }),
    { numRuns: 400 },
  );
});
