import type { Gpuaas, PlacementDecision } from '@gpuaas/sdk';
import { GpuaasError } from '@gpuaas/sdk';
import { confirm } from '../ask.ts';
import type { Run, Session } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { listing, needed, oneOf, over, showing } from '../listing.ts';
import { resolveAllocation } from '../resolve.ts';
import { formatOf, showOne, showRows } from '../show/output.ts';
import { makeRail } from '../show/rail.ts';
import { causeOf, placementLines, sentenceOf } from '../show/sentence.ts';
import { plain, readDuration, showTime } from '../show/value.ts';
import { readTimeout, watchAllocation } from '../watch.ts';
import { allocationColumns, allocationFields } from './alloc-fields.ts';

const states = ['requested', 'provisioning', 'active', 'releasing', 'released', 'failed', 'release_failed'] as const;

export const list = listing(
  (api, session) =>
    over(session.project(), (project) => {
      const [sku, tag, state] = [session.text('sku'), session.text('tag'), oneOf(session, 'state', states)];
      const all = api.allocations.list({ limit: 200, sku, tag, state }, { project });
      return session.is('all') || state !== undefined ? all : withoutEnded(all);
    }),
  allocationColumns,
  'Nothing runs in this project. gpuaas launch starts something; --all shows what has ended.',
);
async function* withoutEnded(all: AsyncIterable<{ readonly ended_at: string | null }>) {
  for await (const each of all) if (each.ended_at === null) yield each;
}

const one =
  (call: (api: Gpuaas, allocation_id: string, session: Session) => Promise<object>): Run =>
  async (session) =>
    showing(async (api) => call(api, await resolveAllocation(session), session), allocationFields)(session);

export const get = one((api, allocation_id) => api.allocations.get({ allocation_id }));
export const extend = one((api, allocation_id, session) => {
  const seconds = readDuration(needed(session, 'for'));
  if (!seconds) throw usageFailure('--for is a length of time: 30m, 3h, 2d.');
  return api.allocations.extend({ allocation_id, seconds });
});
export const rename = one((api, allocation_id, session) =>
  api.allocations.update({ allocation_id, name: session.arg(1) }),
);
export const restart = one(async (api, allocation_id, session) => {
  await confirm(session, 'Restart it? What runs on it ends.');
  return api.allocations.restart({ allocation_id });
});

export const release: Run = async (session) => {
  const api = await session.api();
  const id = await resolveAllocation(session);
  await confirm(session, `Release ${session.arg(0)}? What is on it is wiped.`);
  const reason = session.text('reason');
  const asked = await api.allocations.release({ allocation_id: id, ...(reason !== undefined && { reason }) });
  const done = session.is('wait')
    ? await watchAllocation(session, id, { until: 'released', timeoutMs: readTimeout(session) })
    : asked;
  if (formatOf(session) === 'table') session.around.stdout.write(`${id} is ${done.state}\n`);
  else showOne(session, done, allocationFields);
  return exitCodes.ok;
};

export const wait: Run = async (session) => {
  const id = await resolveAllocation(session);
  const rail = makeRail(session, session.now());
  const until = oneOf(session, 'state', states) ?? 'active';
  const done = await watchAllocation(session, id, { until, timeoutMs: readTimeout(session), ...rail }).finally(
    rail.end,
  );
  if (formatOf(session) === 'table') session.say(`${plain(done.name)} is ${done.state}`);
  else showOne(session, done, allocationFields);
  return exitCodes.ok;
};

export const timeline: Run = async (session) => {
  const api = await session.api();
  const items: Awaited<ReturnType<Gpuaas['allocations']['timeline']>>['data'][number][] = [];
  for await (const item of api.allocations.timeline({ allocation_id: await resolveAllocation(session), limit: 200 })) {
    items.push(item);
  }
  items.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id < b.id ? -1 : 1));
  const rows = items.map((item) => ({ ...item, what: sentenceOf(item) }));
  showRows(session, rows, ['at', 'kind', 'what', 'correlation_id'], 'Nothing happened yet.');
  return exitCodes.ok;
};

export const events: Run = async (session) => {
  const api = await session.api();
  const about = await resolveAllocation(session);
  const follow = session.is('follow');
  const project = await session.project();
  for await (const { data } of api.events.stream({ about, follow }, { project })) {
    const line =
      formatOf(session) === 'table'
        ? `${showTime(data.occurred_at)}  ${plain(data.event_type)}  ${data.correlation_id}`
        : JSON.stringify(data);
    session.around.stdout.write(`${line}\n`);
  }
  return exitCodes.ok;
};

/** A sentence that says why, and below it what it is known from. */
export const why: Run = async (session) => {
  const api = await session.api();
  const allocation_id = await resolveAllocation(session);
  const allocation = await api.allocations.get({ allocation_id });
  const decision = await unlessAbsent(api.allocations.placement({ allocation_id }));
  const receipts = (await api.allocations.attestations({ allocation_id, limit: 10 })).data;
  const cause = causeOf(allocation, decision);
  if (formatOf(session) !== 'table') {
    showOne(session, { id: allocation_id, cause, allocation, placement: decision ?? null, attestations: receipts }, [
      'cause',
    ]);
    return exitCodes.ok;
  }
  const evidence = [
    ...(decision ? placementLines(decision) : ['placement: no decision is written down']),
    ...(allocation.failure ? [`failure: ${allocation.failure.code}`] : []),
    ...receipts.flatMap(({ passed, taken_at, attestation, problems }) => [
      `attestation ${passed ? 'passed' : 'failed'} at ${showTime(taken_at)}: ${attestation.gpus.length} GPU, driver ${plain(attestation.driver_version)}, CUDA ${plain(attestation.cuda_version)}`,
      ...problems.map((problem) => `  ${plain(problem)}`),
    ]),
  ];
  session.around.stdout.write(`${cause}\n${evidence.map((line) => `  ${line}\n`).join('')}`);
  return exitCodes.ok;
};

const unlessAbsent = (asked: Promise<PlacementDecision>): Promise<PlacementDecision | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof GpuaasError && error.status === 404) return undefined;
    throw error;
  });
