import type { Gpuaas } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { confirm } from '../input/ask.ts';
import { findSku, regionOf } from '../launch-arguments.ts';
import { resolveAllocation } from '../resolve.ts';
import { priceLine } from '../show/sentence.ts';
import { plain } from '../show/value.ts';

/** true, false and numbers are what they look like; everything else is text. */
function readValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

export function parametersOf(session: Session): Record<string, string | number | boolean> {
  return Object.fromEntries(
    session.list('set').map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new Failure(exitCodes.usage, `--set ${plain(pair)} has no value: write --set name=value.`);
      return [pair.slice(0, at), readValue(pair.slice(at + 1))];
    }),
  );
}

/** The allocation that comes with the app: what it is and what it costs stands before the question. */
export async function readNewAllocation(session: Session, api: Gpuaas, sku: string) {
  const { item, gpus } = await findSku(api, sku, session.text('gpus'));
  const place = { sku: item.sku, region: await regionOf(session, item, gpus), gpus };
  const { price, feasible, message } = await api.allocations.plan(place, { project: await session.project() });
  session.say(`  Plan   ${gpus} × ${item.sku}   region ${place.region}`);
  session.say(`  Price  ${priceLine(price, undefined, null)}`);
  session.say('  Stops  when you release the app');
  if (!feasible) throw new Failure(exitCodes.capacity, plain(message));
  await confirm(session, 'Launch?');
  return place;
}

/** Where a test runs: on the allocation that is named, on a new one of the SKU that is named, or on the first whole node that is free. */
export async function readPlace(session: Session, api: Gpuaas) {
  const [on, sku] = [session.text('on'), session.text('sku')];
  if (on !== undefined && sku !== undefined) throw new Failure(exitCodes.usage, 'Give --on or --sku, not both.');
  if (on !== undefined) return { allocation_id: await resolveAllocation(session, on) };
  return { allocation: await readNewAllocation(session, api, sku ?? (await freeWholeNode(api))) };
}

async function freeWholeNode(api: Gpuaas): Promise<string> {
  for await (const item of api.catalog.list()) {
    const isFree = item.availability.some(({ available }) => available > 0);
    if (item.capacity_shape === 'baremetal' && isFree) return item.sku;
  }
  throw new Failure(exitCodes.capacity, 'No whole node is free, and apps run on whole nodes.', {
    next: 'Name an allocation that you have with --on.',
  });
}
