import { isDeepStrictEqual } from 'node:util';
import { type BeginAct, type Database, type ReadTx, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { redactText } from '../../../kernel/telemetry/redact.ts';
import { type Maas, type MaasMachine, MaasRefused } from '../../../ports/maas/port.ts';
import type { Sagas } from '../../../ports/sagas/port.ts';
import { jobsAtOnce, problemLength, seenEveryMs, sitesAtOnce } from '../facts.ts';
import { keyPlace } from '../keys-store.ts';
import { nodeNote } from '../sagas/steps.ts';
import { judge } from './expect.ts';
import {
  keepMachines,
  listKnown,
  listWaiting,
  listWatched,
  missMachines,
  noteProblem,
  noteWell,
  rowOf,
  type WatchedSite,
} from './store.ts';

export interface WatchParts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly maas: Pick<Maas, 'at'>;
  readonly seal: Pick<Seal, 'open'> | undefined;
  readonly sagas: Pick<Sagas, 'answer'>;
}
interface Looked {
  readonly who: { readonly release: string; readonly username: string };
  readonly machines: readonly MaasMachine[];
}

/**
 * Looks at every site: what MAAS says of its machines is written down where it changed, and jobs that wait for a machine are
 * answered. It orders nothing. A site that does not answer holds up no other site.
 */
export const makeMaasWatch = (parts: WatchParts): Reconciler => ({
  name: 'maas-watch',
  async round() {
    const sites = await look(parts, listWatched);
    for (let from = 0; from < sites.length; from += sitesAtOnce) {
      await Promise.all(sites.slice(from, from + sitesAtOnce).map((site) => watchSite(parts, site)));
    }
    return 'idle';
  },
});

const look = <T>(parts: WatchParts, work: (tx: ReadTx) => Promise<T>): Promise<T> =>
  parts.db.read(systemViewer('maas', { correlationId: parts.ids.next() }), work);

async function watchSite(parts: WatchParts, site: WatchedSite): Promise<void> {
  // Jobs are read before MAAS is asked: a machine is never judged by what it was before the question.
  const waiting = await look(parts, (tx) => listWaiting(tx, site.id, jobsAtOnce));
  const looked = await askSite(parts, site).catch((error: unknown) => redactText((error as Error).message));
  if (typeof looked === 'string') {
    parts.log.warn({ site: site.name, why: looked }, 'a MAAS site does not answer');
    if (looked !== site.problem)
      await write(parts, site, (tx) => noteProblem(tx, site.id, looked), { problem: looked });
    return;
  }
  await keep(parts, site, looked);
  const listed = new Map(looked.machines.map((machine) => [machine.systemId, machine]));
  for (const job of waiting) {
    const seen = judge(job, listed.get(job.system_id));
    if (seen === 'waiting') continue;
    const verdict = await parts.sagas.answer(job.wait_token ?? '', seen === 'done' ? {} : seen);
    if (verdict === 'invalid') parts.log.error({ job: job.id }, 'a job could not read what was seen of its machine');
  }
}

/** A sentence when the site refuses; throws when it is away. */
async function askSite(parts: WatchParts, site: WatchedSite): Promise<Looked | string> {
  if (!parts.seal) return 'This process has no key that opens the keys of MAAS sites.';
  const at = parts.maas.at({
    url: site.url,
    apiKey: parts.seal.open(site.sealed_key, keyPlace(site.id)).toString(),
    caPem: site.ca_pem ?? undefined,
    pool: site.pool ?? undefined,
  });
  const who = await at.whoami();
  if (who instanceof MaasRefused) return sentence(who);
  const machines = await at.machines();
  return machines instanceof MaasRefused ? sentence(machines) : { who, machines };
}
const sentence = ({ kind, message }: MaasRefused): string =>
  (kind === 'denied' ? `MAAS does not take the key of this site: ${message}` : `MAAS refuses: ${message}`).slice(
    0,
    problemLength,
  );

/** Writes down what changed. Most rounds find nothing, and write nothing. */
async function keep(parts: WatchParts, site: WatchedSite, { who, machines }: Looked): Promise<void> {
  const known = new Map((await look(parts, (tx) => listKnown(tx, site.id))).map((row) => [row.system_id, row]));
  const rows = machines.map((machine) => rowOf(machine, nodeNote));
  const changed = rows.filter(
    (row) => !isDeepStrictEqual({ ...row, missing_since: null }, { ...known.get(row.system_id) }),
  );
  const listed = new Set(rows.map(({ system_id }) => system_id));
  const gone = [...known.values()].filter((row) => !listed.has(row.system_id) && row.missing_since === null);
  const isDue = site.seen_at === null || parts.clock.now().getTime() - site.seen_at.getTime() > seenEveryMs;
  const isNews = site.problem !== null || site.release !== who.release || site.username !== who.username;
  if (changed.length + gone.length === 0 && !isDue && !isNews) return;
  const missing = gone.map(({ system_id }) => system_id);
  await write(
    parts,
    site,
    async (tx) => {
      await noteWell(tx, site.id, who);
      if (changed.length > 0) await keepMachines(tx, site.id, changed);
      if (missing.length > 0) await missMachines(tx, site.id, missing);
    },
    { changed: changed.map(({ system_id, status, power }) => ({ system_id, status, power })), missing },
  );
}

const write = async (
  parts: WatchParts,
  site: WatchedSite,
  work: (tx: Parameters<Parameters<Database['write']>[1]>[0]) => Promise<unknown>,
  change: object,
): Promise<void> => {
  await parts.db.write(parts.begin('maas_site.observe', { correlationId: parts.ids.next() }), async (tx) => {
    await work(tx);
    return tx.commit(undefined, { target: { type: 'maas_site', id: site.id }, change, events: 'none' });
  });
};
