import type { AllocationState, Gpuaas, PlacementDecision } from '@gpuaas/sdk';
import { GpuaasError } from '@gpuaas/sdk';
import type { Run } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { confirm } from '../input/ask.ts';
import { readLength } from '../input/read-input.ts';
import { listing, over } from '../listing.ts';
import { resolveAllocation, resolveGroup } from '../resolve.ts';
import { formatOf, showOne, showRows } from '../show/output.ts';
import { makeRail } from '../show/rail.ts';
import { attemptLines, causeOf, placementLines, sentenceOf, simulatedLine } from '../show/sentence.ts';
import { plain, showTime } from '../show/value.ts';
import { allocationColumns, allocationFields } from '../table/alloc-fields.ts';
import { watchAllocation } from '../watch.ts';

export const list = listing(
  (api, session) =>
    over(session.project(), async function* (project) {
      const [sku, tag, name, q] = ['sku', 'tag', 'group', 'q'].map((flag) => session.text(flag));
      const state = session.text('state') as AllocationState | undefined;
      const group = name === undefined ? undefined : await resolveGroup(session, name);
      const all = api.allocations.list({ limit: 200, sku, tag, state, group, q }, { project });
      yield* session.is('all') || state !== undefined ? all : withoutEnded(all);
    }),
  allocationColumns,
  'Nothing is running in this project. gpuaas launch starts an allocation; --all includes ended ones.',
);
async function* withoutEnded(all: AsyncIterable<{ readonly ended_at: string | null }>) {
  for await (const each of all) if (each.ended_at === null) yield each;
}

/** What happens when its GPUs are idle. */
export const guard: Run = async (session) => {
  const minutes = session.text('idle-stop');
  if (session.is('off') === (minutes !== undefined)) {
    throw usageFailure('Set the idle time with --idle-stop 30m, or switch the guard off with --off.');
  }
  const action = session.text('action') === 'warn' ? ('warn' as const) : ('release' as const);
  const idle = minutes === undefined ? null : { action, minutes: Math.ceil(readLength(minutes, '--idle-stop') / 60) };
  const api = await session.api();
  showOne(
    session,
    await api.allocations.update({ allocation_id: await resolveAllocation(session), idle }),
    allocationFields,
  );
  return exitCodes.ok;
};

export const release: Run = async (session) => {
  const api = await session.api();
  const id = await resolveAllocation(session);
  await confirm(session, `Release ${session.arg(0)}? Its disks are wiped.`);
  const reason = session.text('reason');
  const asked = await api.allocations.release({ allocation_id: id, ...(reason !== undefined && { reason }) });
  const done = session.is('wait') ? await watchAllocation(session, id, { until: 'released' }) : asked;
  if (formatOf(session) === 'table') session.around.stdout.write(`${id} is ${done.state}\n`);
  else showOne(session, done, allocationFields);
  return exitCodes.ok;
};

export const wait: Run = async (session) => {
  const id = await resolveAllocation(session);
  const rail = makeRail(session, session.now());
  const until = (session.text('state') ?? 'active') as AllocationState;
  const done = await watchAllocation(session, id, { until, ...rail }).finally(rail.end);
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

/** A sentence with the cause, and the evidence below it. */
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
    ...(allocation.simulated ? [simulatedLine] : []),
    ...attemptLines(allocation),
    ...(decision ? placementLines(decision) : ['placement: no decision is recorded']),
    ...(allocation.failure ? [`failure: ${allocation.failure.code}`] : []),
    ...receipts.flatMap(({ passed, simulated, taken_at, attestation, problems }) => [
      `attestation ${passed ? 'passed' : 'failed'} at ${showTime(taken_at)}: ${simulated ? 'simulated, ' : ''}${attestation.gpus.length} GPU, driver ${plain(attestation.driver_version)}, CUDA ${plain(attestation.cuda_version)}`,
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
