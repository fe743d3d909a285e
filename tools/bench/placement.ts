import {
  type CandidateNode,
  decide,
  makeCapacityIndex,
  type PlacementRequest,
} from '../../server/src/domains/allocations/index.ts';
import type { Options } from './options.ts';
import { measureDurable } from './placement-durable.ts';
import { type Report, short } from './report.ts';
import { interleaved, medianWithInterval, ratios } from './statistics.ts';

/**
 * What a decision costs as the fleet grows. A decision is what a request does before it touches a row: the index names a
 * few hosts, the engine chooses among them, and the index learns what was taken. Both fleets live in this process, and CPU
 * is what the process itself used. Each decision that places is checked against what it had to choose from.
 */
const fleets = [1_000, 10_000] as const;
const candidates = 8;
const goal = 2;
const sizes = [1, 2, 4, 8] as const;

export async function measurePlacement(options: Options, report: Report): Promise<void> {
  const decisions = 2_000 * options.seconds;
  const sides = [makeFleet(fleets[0]), makeFleet(fleets[1])] as const;
  const spent: [number[], number[]] = [[], []];
  for (const side of sides) side.run(decisions);
  for (const [round, order] of interleaved([0, 1] as const, options.pairs).entries()) {
    for (const side of order) {
      const before = process.cpuUsage();
      const wrong = sides[side].run(decisions);
      const { user, system } = process.cpuUsage(before);
      if (wrong > 0) report.violated(`round ${round}: ${wrong} of ${decisions} decisions placed nothing, or wrongly`);
      const microseconds = (user + system) / decisions;
      spent[side].push(microseconds);
      report.sample({ benchmark: 'placement', round, nodes: fleets[side], microseconds });
    }
  }
  const found = spent.map((side) => medianWithInterval(side));
  report.table({
    title: `CPU of one decision, in microseconds; ${decisions} decisions a side and round, ${candidates} candidates each`,
    columns: ['nodes', 'median', 'from', 'to'],
    rows: found.map(({ median, low, high }, at) => [String(fleets[at]), short(median), short(low), short(high)]),
  });
  report.verdict({
    claim: `growth of a decision from ${fleets[0]} to ${fleets[1]} nodes`,
    found: medianWithInterval(ratios(spent[1], spent[0])),
    goal: { at: 'most', value: goal },
  });
  await measureDurable(options, report);
}

/** Dual-socket hosts, half full in ways that differ, so that every size finds a best fit somewhere. */
function makeFleet(size: number) {
  const nodes = new Map<string, CandidateNode>();
  for (let at = 0; at < size; at += 1) nodes.set(`n${at}`, makeNode(at));
  const index = makeCapacityIndex();
  index.update([...nodes.values()]);
  return {
    /** Places and releases, so that the fleet stays the same. Returns how many failed. */
    run(times: number): number {
      let wrong = 0;
      for (let turn = 0; turn < times; turn += 1) {
        const request = ask(sizes[turn % sizes.length] ?? 1);
        const named = index.suggest(request, candidates).flatMap((id) => nodes.get(id) ?? []);
        const { chosen } = decide(request, named);
        const node = chosen && nodes.get(chosen.node_id);
        if (!node || chosen.slot_ids.length !== request.gpus) {
          wrong += 1;
          continue;
        }
        const slots = node.slots.map((slot) =>
          chosen.slot_ids.includes(slot.id) ? { ...slot, state: 'reserved' } : slot,
        );
        index.update([{ ...node, slots }]);
        index.update([node]);
      }
      return wrong;
    },
  };
}

const ask = (gpus: number): PlacementRequest => ({
  ...{ sku: 'h200-sxm-slice', shape: 'gpu_slice', gpus, region: 'here', fabric: true, nvme: true },
});

const gpusOfHost = 8;
const gpusOfGroup = 4;
function makeNode(at: number): CandidateNode {
  return {
    ...{ id: `n${at}`, name: `host-${at}`, region: 'here', sku: 'h200-sxm-slice', state: 'active' },
    ...{ schedulable: true, reporting: true, images: [] },
    slots: Array.from({ length: gpusOfHost }, (_, index) => ({
      ...{ id: `n${at}-${index}`, index, health: 'healthy', fabric: true, nvme: true },
      numa: Math.floor(index / gpusOfGroup),
      // The first `at % 8` slots are taken: from empty hosts to nearly full ones.
      state: index < at % gpusOfHost ? 'in_use' : 'available',
    })),
  };
}
