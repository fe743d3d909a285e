import type { AllocationPlan, CatalogItem, Gpuaas } from '@gpuaas/sdk';
import { confirm } from '../ask.ts';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { readPairs } from '../listing.ts';
import { rememberLast, resolveSshKeys } from '../resolve.ts';
import { formatOf, showOne } from '../show/output.ts';
import { makeRail } from '../show/rail.ts';
import { changeOf, priceLine, sshLine } from '../show/sentence.ts';
import { plain, readDuration, showDuration } from '../show/value.ts';
import { readTimeout, watchAllocation } from '../watch.ts';
import { allocationFields } from './alloc-fields.ts';

/** From a wish to something that runs: a plan with its price, a question, and then every step until it is there. */
export const launch: Run = async (session) => {
  const api = await session.api();
  const project = await session.project();
  const wish = await readWish(session, api);
  const { queue, ...planned } = wish;
  const plan = await api.allocations.plan(planned, { project });
  sayPlan(session, wish, plan);
  if (!plan.feasible && queue === undefined) throw refusedBy(plan);
  await confirm(session, plan.feasible ? 'Launch?' : 'Wait in line for it?');
  const began = session.now();
  const made = await api.allocations.create(wish, { project });
  await rememberLast(session, made.id);
  session.say(`  ${made.id}  ${plain(made.name)}`);
  if (session.is('detach')) {
    finish(session, made);
    return exitCodes.ok;
  }
  const rail = makeRail(session, began);
  try {
    const done = await watchAllocation(session, made.id, { until: 'active', timeoutMs: readTimeout(session), ...rail });
    rail.end();
    const { receipt } = done;
    if (receipt) session.say(`  ✓ active  ${receipt.gpus} GPU, driver ${plain(receipt.driver_version)}`);
    const ssh = sshLine(done);
    if (ssh) session.say(`  ${ssh}`);
    finish(session, done);
    return exitCodes.ok;
  } catch (error) {
    rail.end();
    throw error;
  }
};

/** In a pipe the answer is the id, so that a script can go on with it. */
function finish(session: Session, allocation: { readonly id: string }): void {
  if (formatOf(session) === 'table') {
    if (session.around.stdout.isTTY !== true) session.around.stdout.write(`${allocation.id}\n`);
  } else {
    showOne(session, allocation, allocationFields);
  }
}

type Wish = Parameters<Gpuaas['allocations']['create']>[0];

async function readWish(session: Session, api: Gpuaas): Promise<Wish> {
  const { item, gpus } = await findSku(session, api);
  const seconds = lengthOf(session, 'for');
  const idle = lengthOf(session, 'idle-stop');
  const queue = lengthOf(session, 'queue');
  const keys = await resolveSshKeys(session, session.list('ssh-key'));
  const tags = readPairs(session.list('tag'), 'tag');
  const [name, image] = [session.text('name'), session.text('image')];
  return {
    sku: item.sku,
    gpus,
    region: session.text('region') ?? regionFor(item, gpus),
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image }),
    ...(seconds !== undefined && { max_duration_seconds: seconds }),
    ...(idle !== undefined && { idle: { action: 'release' as const, minutes: Math.ceil(idle / 60) } }),
    ...(queue !== undefined && { queue: { max_wait_seconds: queue } }),
    ...(keys.length > 0 && { ssh_key_ids: keys }),
    ...(Object.keys(tags).length > 0 && { tags }),
  };
}

/** `h200x2` is two of h200, unless something is called exactly so. */
async function findSku(session: Session, api: Gpuaas): Promise<{ item: CatalogItem; gpus: number }> {
  const asked = session.arg(0);
  const all: CatalogItem[] = [];
  for await (const item of api.catalog.list()) all.push(item);
  const exact = all.find(({ sku }) => sku === asked);
  const [, stem = asked, times] = /^(.+)x(\d{1,2})$/.exec(asked) ?? [];
  const item = exact ?? all.find(({ sku }) => sku === stem);
  if (!item) {
    throw new Failure(exitCodes.notFound, `There is no SKU ${JSON.stringify(asked)}.`, {
      next: `gpuaas sku list shows what there is${all.length > 0 ? `: ${all.map(({ sku }) => sku).join(', ')}` : ''}.`,
    });
  }
  const text = session.text('count') ?? (exact ? undefined : times);
  const gpus = text === undefined ? (item.allowed_gpu_counts[0] ?? 1) : Number(text);
  if (!Number.isInteger(gpus) || gpus < 1) throw usageFailure('--count is a number of GPUs.');
  return { item, gpus };
}

/** Where most of it is free; where nothing is, the first place that has any of it. */
function regionFor({ sku, availability }: CatalogItem, gpus: number): string {
  const [best] = availability
    .filter(({ gpu_count }) => gpu_count === gpus)
    .sort((a, b) => b.available - a.available || a.region.localeCompare(b.region));
  const region = best?.region ?? availability[0]?.region;
  if (region === undefined) {
    throw new Failure(exitCodes.conflict, `No host offers ${sku} now.`, {
      next: 'Name a region with --region, or choose another with gpuaas sku list.',
    });
  }
  return region;
}

function lengthOf(session: Session, flag: string): number | undefined {
  const text = session.text(flag);
  if (text === undefined) return undefined;
  const seconds = readDuration(text);
  if (seconds === undefined || seconds === 0) throw usageFailure(`--${flag} is a length of time: 30m, 3h, 2d.`);
  return seconds;
}

function sayPlan(session: Session, wish: Wish, plan: AllocationPlan): void {
  const { profile, price, projected, feasible, message } = plan;
  const size = profile ? `   ${profile.vcpus} CPUs, ${Math.round(profile.memory_mib / 1024)} GiB` : '';
  session.say(
    `  Plan   ${wish.gpus} × ${wish.sku}   region ${wish.region}${size}${wish.image ? `   image ${wish.image}` : ''}`,
  );
  session.say(`  Price  ${priceLine(price, wish.max_duration_seconds, projected)}`);
  const stops = [
    ...(wish.max_duration_seconds === undefined ? [] : [`after ${showDuration(wish.max_duration_seconds)}`]),
    ...(wish.idle ? [`after ${wish.idle.minutes} min without use`] : []),
  ];
  session.say(`  Stops  ${stops.length > 0 ? stops.join(', or ') : 'when you release it'}`);
  if (!feasible) session.say(`  Now    ${plain(message)}`);
}

const refusedBy = ({ message, decision }: AllocationPlan): Failure =>
  new Failure(exitCodes.conflict, plain(message), {
    next:
      decision.would_fit.length > 0
        ? `It would fit ${decision.would_fit.map(changeOf).join(', or ')}.`
        : 'Wait for it with --queue 2h, or look for another with gpuaas sku list.',
  });
