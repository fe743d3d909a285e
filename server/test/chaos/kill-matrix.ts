import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchesOf, cells, cellsOf, type Mode } from '../../../tools/chaos/cells.ts';
import { brokenInvariants } from '../../../tools/chaos/invariants.ts';
import { failpointNames } from '../../src/kernel/process/failpoint.ts';
import { type Capacity, openCapacity } from './capacity.ts';

/**
 * Allocations are made and given back while api, relay, worker and agent are killed, each at one place after the other,
 * before and after every step, and PostgreSQL in every state of an allocation. They die together, because one fault often
 * comes with another. After each batch everything has come to its end by itself, and every invariant holds.
 *
 * It runs in two modes: as usual, where the happy path runs in the transactions of the api, and with every transition sent
 * through a saga. `GPUAAS_CHAOS=all` adds the places that lie between the same two commits as others: `npm run chaos`.
 */
const patience = 180_000;
/** Places are passed once in each life; another round is for what was passed before it was armed. */
const livesAtOnce = 2;
const mostRounds = 6;

export function describeKillMatrix(
  title: string,
  mode: Mode,
  env: { readonly GPUAAS_CHAOS?: string; readonly GPUAAS_CHAOS_SAY?: string },
): void {
  describe(title, () => {
    const chosen = cellsOf(mode, env.GPUAAS_CHAOS === 'all' ? 'all' : 'some');
    const batches = batchesOf(chosen);
    let capacity: Capacity;
    /** The batch that has begun and has not come to its end; those after it would only wait. */
    let stuckAt: number | undefined;
    beforeAll(async () => {
      capacity = await openCapacity(mode);
    }, patience);
    afterAll(() => capacity?.close(), patience);
    const ask = async (text: string) => (await capacity.look(text)).rows as object[];

    it('knows a place for every failpoint, and sixty of them are tried every time', () => {
      const named = new Set(
        cells.filter(({ victim }) => !['agent', 'postgres'].includes(victim)).map(({ place }) => place.split('@')[0]),
      );
      expect(named).toEqual(new Set<string>(failpointNames));
      const everyTime = (['usual', 'through sagas'] as const).flatMap((each) => cellsOf(each, 'some'));
      expect(everyTime.length).toBeGreaterThanOrEqual(60);
    });

    it.each(batches.map((batch, index) => [batch.map(({ place }) => place).join(', '), batch, index] as const))(
      'comes to an end by itself after deaths at %s',
      async (_, batch, index) => {
        expect(stuckAt, 'an earlier batch did not come to its end').toBeUndefined();
        stuckAt = index;
        const waiting = new Set(batch);
        let stoodAgainMs = 0;
        const victims = Object.values(Object.groupBy(batch, ({ victim }) => victim));
        const deaths = victims.map(async (line) => {
          for (const cell of line) {
            await capacity.killAt(cell.victim, cell.place);
            waiting.delete(cell);
            stoodAgainMs = performance.now();
          }
        });
        for (let round = 0; waiting.size > 0 && round < mostRounds; round += 1) {
          const lives = Array.from({ length: livesAtOnce }, (__, life) => capacity.live(`${index}-${round}-${life}`));
          // A process that does not start again fails the batch at once; without the race its lives would wait for it in vain.
          const ends = await Promise.race([Promise.all(lives), Promise.all(deaths).then(() => Promise.all(lives))]);
          for (const end of ends) expect(end).toBe('released');
        }
        expect([...waiting].map(({ victim, place }) => `${victim} passed ${place}`)).toEqual([]);
        await Promise.all(deaths);
        expect(await brokenInvariants(ask)).toEqual([]);
        stuckAt = undefined;
        if (env.GPUAAS_CHAOS_SAY) {
          const convergedMs = Math.round(performance.now() - stoodAgainMs);
          process.stdout.write(`${JSON.stringify({ batch: index, deaths: batch.length, convergedMs })}\n`);
        }
      },
      patience,
    );

    it('leaves nothing behind: no slot is held, no task is open, no event is dead, no GPU time counts twice', async () => {
      expect(await ask(`select id from slots where state <> 'available'`)).toEqual([]);
      expect(await ask(`select id from node_tasks where state in ('queued', 'dispatched')`)).toEqual([]);
      expect(await ask(`select id from allocation_claims where freed_at is null`)).toEqual([]);
      expect(await ask('select * from dead_letters')).toEqual([]);
      // Hosts have signed for GPU time; the invariants hold that no moment of it counts twice.
      expect(await brokenInvariants(ask)).toEqual([]);
    });
  });
}
