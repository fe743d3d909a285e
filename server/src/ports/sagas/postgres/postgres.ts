import { Check } from 'typebox/schema';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Saga } from '../../../kernel/saga.ts';
import type { Adapted } from '../../adapter.ts';
import { type Beginning, laneName, makeAttempts, runName, runOf, type SagaLog } from '../attempts.ts';
import type { Ending } from '../interpreter.ts';
import { asJson } from '../json.ts';
import { planOf } from '../plan.ts';
import type { Origin, Run, Sagas } from '../port.ts';
import { type Letter, standingOf } from '../standing.ts';
import { isSealedBy, readToken } from '../token.ts';
import { makeTurns } from '../turns.ts';
import { type Journal, makeJournal } from './journal.ts';
import { openPool } from './pool.ts';
import { migratePostgresSagas } from './tables.ts';
import { openWorker, type Worker } from './worker.ts';

export interface PostgresSagasConfig {
  readonly url: string;
  /** Stable for a process across its restarts, and different from every other living process. */
  readonly worker: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: SagaLog;
  /** How long a silent process is believed to be alive. */
  readonly leaseMs?: number;
  /** How long `close` waits for attempts in work before it leaves them to the next process. */
  readonly closeWithinMs?: number;
  /** How long ended runs are kept; stuck ones stay. Temporal calls this a namespace's retention. */
  readonly keepEndedMs?: number;
  /** False when the role of this process may not create tables; `migratePostgresSagas` then ran before. */
  readonly migrate?: boolean;
}

interface RunRow {
  readonly state: string;
  readonly beginning: Beginning;
  readonly ending: Ending | null;
  readonly fault: string | null;
  readonly letters: readonly (readonly [step: string, letter: Letter])[] | null;
}
/** A run with the letters of its waits. */
const findSql = {
  name: 'saga-run',
  text: `select r.state, r.beginning, r.ending, r.fault, (
      select json_agg(json_build_array(l.topic, l.letter)) from gpuaas_sagas.letters l where l.run = r.name
    ) as letters
    from gpuaas_sagas.runs r where r.name = $1`,
};
const connections = 4;

export async function openPostgresSagas(config: PostgresSagasConfig): Promise<Sagas & Adapted> {
  const { url, clock, ids, log } = config;
  if (config.migrate !== false) await migratePostgresSagas(url, { log, clock });
  const pool = openPool(url, connections, log);
  const journal = makeJournal({ pool, clock, log });
  const served = new Map<string, Saga<never>>();
  let worker: Worker | undefined;
  let closed: Promise<void> | undefined;
  const inTurn = makeTurns();
  const join = () => {
    const { worker: id, leaseMs = 15_000, keepEndedMs = 30 * 86_400_000 } = config;
    const runAttempt = makeAttempts({ sagas: served, clock, ids, log });
    return openWorker({ url, id, leaseMs, keepEndedMs, clock, log, runAttempt });
  };
  const find = async (name: string): Promise<FoundRun | undefined> => {
    const { rows } = await pool.query<RunRow>({ ...findSql, values: [name] });
    return rows[0] && { ...rows[0], letters: new Map(rows[0].letters ?? []) };
  };

  return {
    adapter: { name: 'postgres', kind: 'embedded' },
    async start(saga, id, params, origin) {
      const beginning = beginningOf(saga as unknown as Saga<never>, id, params, origin, ids);
      const [lane, name] = [laneName(saga), runName(saga.name, id)];
      // A process that serves the saga itself need not notify others.
      if (await worker?.begin(lane, name, beginning)) return;
      await journal.enqueue(name, lane, beginning);
    },
    answer: (token, value) => answer({ journal, worker, ids, find }, token, value),
    async look(saga, id) {
      const name = runName(saga.name, id);
      const run = await find(name);
      return run && showRun(journal, name, id, run);
    },
    serve: (sagas) =>
      inTurn(async () => {
        for (const saga of sagas) served.set(laneName(saga), saga);
        worker ??= await join();
        for (const saga of sagas) worker.listen(laneName(saga));
        await worker.wake();
      }),
    async check() {
      await pool.query('select from gpuaas_sagas.runs limit 1');
    },
    close: () => {
      closed ??= inTurn(async () => {
        await worker?.close(config.closeWithinMs ?? 10_000);
        await pool.end();
      });
      return closed;
    },
  };
}

const beginningOf = (saga: Saga<never>, id: string, params: object, origin: Origin, ids: Ids): Beginning => ({
  plan: planOf(saga),
  id,
  params: asJson(params, 'params') as object,
  origin,
  secret: ids.secret(32),
});

type FoundRun = Omit<RunRow, 'letters'> & { readonly letters: ReadonlyMap<string, Letter> };

async function answer(
  parts: {
    readonly journal: Journal;
    readonly worker: Worker | undefined;
    readonly ids: Ids;
    readonly find: (name: string) => Promise<FoundRun | undefined>;
  },
  token: string,
  value: unknown,
): ReturnType<Sagas['answer']> {
  const { journal, worker, ids } = parts;
  const named = readToken(token);
  if (!named) return 'unknown';
  const here = worker?.beginningOf(named.run);
  const run = here ? { beginning: here, state: 'open', letters: undefined } : await parts.find(named.run);
  const step = run?.beginning.plan.steps.find(({ name, kind }) => name === named.step && kind === 'wait');
  if (!run || !step || !isSealedBy(run.beginning.secret, named)) return 'unknown';
  if (!Check(step.answer ?? {}, value)) return 'invalid';
  const before = run.letters?.get(named.step);
  if (before) return 'late' in before ? 'unknown' : 'already answered';
  if (run.state !== 'open') return 'unknown';
  const by = ids.next();
  const letter: Letter = { by, value: asJson(value, 'the answer') };
  if (await journal.post(named.run, named.step, letter, here !== undefined)) {
    worker?.deliver(named.run, named.step, letter);
    return 'accepted';
  }
  const first = await journal.letter(named.run, named.step);
  if (!first || 'late' in first) return 'unknown';
  return first.by === by ? 'accepted' : 'already answered';
}

async function showRun(journal: Journal, name: string, id: string, run: FoundRun): Promise<Run> {
  if (run.ending) return runOf(id, run.ending);
  const at = await standingOf(run.beginning.plan, await journal.read(name), run.letters);
  if (run.state !== 'open') return { id, state: 'stuck', step: at.step, reason: run.fault ?? undefined };
  return { id, state: at.doing === 'stuck' ? 'stuck' : 'running', step: at.step, reason: at.reason };
}
