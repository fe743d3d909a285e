import { Type } from 'typebox';
import type { Act, Database, WriteTx } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { Halt, type StepContext } from '../../../kernel/saga.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { type Maas, type MaasMachine, MaasRefused, type MaasSite } from '../../../ports/maas/port.ts';
import { problemLength } from '../facts.ts';
import { keyLocation } from '../keys-store.ts';
import { advanceJob } from '../machine.ts';
import { type JobOfSite, markPhase, readJobOfSite } from './store.ts';

export interface MaasSagaParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly maas: Pick<Maas, 'at'>;
  /** Opens the keys of sites. Without it every job fails at its first call to MAAS. */
  readonly seal: Pick<Seal, 'open'> | undefined;
}
export interface OfJob {
  readonly jobId: string;
}

/**
 * The result of a step that asked MAAS. A refusal is a result and not a `Halt`, so that the undo that fails the job can state the
 * reason; the next step halts on it.
 */
export const Outcome = Type.Object({ problem: Type.Optional(Type.String()) });
export interface Outcome {
  readonly problem?: string | undefined;
}
type Done = Readonly<Record<string, unknown>>;
export const problemIn = (done: unknown): string | undefined =>
  Object.values(done as Done)
    .map((each) => (each as Outcome | null | undefined)?.problem)
    .findLast((each) => each !== undefined);

const target = (jobId: string) => ({ type: 'maas_job', id: jobId });
type Context = Pick<StepContext<OfJob, unknown>, 'act' | 'params' | 'done'>;

export interface RunningJob {
  readonly job: JobOfSite;
  readonly site: MaasSite;
}
/** Reads the job and its site; halts when an earlier step had a problem or the job has ended. */
export async function readRunningJob(parts: MaasSagaParts, { act, params, done }: Context): Promise<RunningJob | Halt> {
  const problem = problemIn(done);
  if (problem !== undefined) return new Halt(problem);
  const job = await parts.db.read(act, (tx) => readJobOfSite(tx, params.jobId));
  return job?.state === 'running' ? { job, site: siteOf(parts, job) } : new Halt(`The job is ${job?.state ?? 'gone'}.`);
}
export function siteOf(parts: MaasSagaParts, job: JobOfSite): MaasSite {
  if (!parts.seal) throw new Error('the keys of MAAS sites cannot be opened: this process has no key for them');
  return parts.maas.at({
    url: job.url,
    apiKey: parts.seal.open(job.sealed_key, keyLocation(job.site_id)).toString(),
    caPem: job.ca_pem ?? undefined,
    pool: job.pool ?? undefined,
  });
}

/** Records the phase before MAAS is asked, so that a later attempt knows what may have happened. */
export async function recordPhase(
  parts: MaasSagaParts,
  act: Act,
  job: JobOfSite,
  phase: string,
  also: (tx: WriteTx) => Promise<object> = async () => ({}),
): Promise<void> {
  const written = await parts.db.write(act, async (tx) => {
    const change = await also(tx);
    await markPhase(tx, job.id, phase, undefined);
    return tx.commit(undefined, { target: target(job.id), change: { phase, ...change }, events: 'none' });
  });
  if (written instanceof Fault) throw written;
}

/** Stores the token that the watcher answers when the machine has reached what the phase waits for. */
export async function awaitPhase(
  parts: MaasSagaParts,
  context: Context,
  token: string,
  phase: string,
): Promise<Halt | undefined> {
  const found = await readRunningJob(parts, context);
  if (found instanceof Halt) return found;
  await parts.db.write(context.act, async (tx) => {
    await markPhase(tx, found.job.id, phase, token);
    return tx.commit(undefined, { target: target(found.job.id), change: { phase }, events: 'none' });
  });
  return undefined;
}

export const refusal = (what: string, refused: MaasRefused): Outcome => ({
  problem: `${what}: ${refused.message}`.slice(0, problemLength),
});
export const outcomeOf = (what: string, answer: MaasMachine | MaasRefused): Outcome =>
  answer instanceof MaasRefused ? refusal(what, answer) : {};

/** Marks the job as failed, with the reason from its steps. */
export async function failJob(
  parts: MaasSagaParts,
  { act, params, done, calledOff }: StepContext<OfJob, unknown>,
  follow: (tx: WriteTx, job: JobOfSite, problem: string) => Promise<unknown> = async () => undefined,
): Promise<void> {
  await parts.db.write(act, async (tx) => {
    const job = await readJobOfSite(tx, params.jobId);
    if (!job || (job.state !== 'running' && job.state !== 'queued')) {
      return tx.abandon(new Fault('illegal_transition', 'The job has ended.'));
    }
    const waited = `It failed or took too long in the phase "${job.phase.replaceAll('_', ' ')}".`;
    const problem = calledOff ? 'An operator cancelled it.' : (problemIn(done) ?? waited);
    await follow(tx, job, problem);
    await advanceJob(tx, job.id, 'giveUp', { problem });
    return tx.commit(undefined, { target: target(job.id), change: { state: 'failed', problem }, events: 'none' });
  });
}

/** Marks the job as succeeded. A repeated attempt finds it so and changes nothing. */
export async function finish(
  parts: MaasSagaParts,
  context: Context,
  follow: (tx: WriteTx, job: JobOfSite) => Promise<unknown> = async () => undefined,
): Promise<{ readonly ended: true } | Halt> {
  const problem = problemIn(context.done);
  if (problem !== undefined) return new Halt(problem);
  const { act, params } = context;
  const outcome = await parts.db.write(act, async (tx) => {
    const job = await readJobOfSite(tx, params.jobId);
    if (job?.state !== 'running')
      return tx.abandon(new Fault('illegal_transition', `The job is ${job?.state ?? 'gone'}.`));
    await follow(tx, job);
    await advanceJob(tx, job.id, 'finish', { phase: 'done' });
    return tx.commit(undefined, { target: target(job.id), change: { state: 'succeeded' }, events: 'none' });
  });
  if (!(outcome instanceof Fault)) return { ended: true };
  const job = await parts.db.read(act, (tx) => readJobOfSite(tx, params.jobId));
  return job?.state === 'succeeded' ? { ended: true } : new Halt(outcome.message);
}
