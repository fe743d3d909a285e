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
import { keyLocation } from '../keys-store.ts';
import { nodeNote } from '../sagas/steps.ts';
import { compareWithJob } from './compare.ts';
import {
  listStored,
  listWaiting,
  listWatched,
  markMissing,
  markReachable,
  recordProblem,
  rowOf,
  upsertMachines,
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
interface SiteState {
  readonly who: { readonly release: string; readonly username: string };
  readonly machines: readonly MaasMachine[];
}

/**
 * Reads every site, stores what changed of its machines, and answers jobs that wait for a machine. It sends no commands to MAAS. A
 * site that does not answer does not delay the others.
 */
export const makeMaasWatch = (parts: WatchParts): Reconciler => ({
  name: 'maas-watch',
  async round() {
    const sites = await read(parts, listWatched);
    for (let from = 0; from < sites.length; from += sitesAtOnce) {
      await Promise.all(sites.slice(from, from + sitesAtOnce).map((site) => watchSite(parts, site)));
    }
    return 'idle';
  },
});

const read = <T>(parts: WatchParts, work: (tx: ReadTx) => Promise<T>): Promise<T> =>
  parts.db.read(systemViewer('maas', { correlationId: parts.ids.next() }), work);

async function watchSite(parts: WatchParts, site: WatchedSite): Promise<void> {
  // Jobs are read before MAAS is asked, so a job is never compared with an older state of its machine.
  const waiting = await read(parts, (tx) => listWaiting(tx, site.id, jobsAtOnce));
  const state = await querySite(parts, site).catch((error: unknown) => redactText((error as Error).message));
  if (typeof state === 'string') {
    parts.log.warn({ site: site.name, why: state }, 'a MAAS site does not answer');
    if (state !== site.problem) await write(parts, site, (tx) => recordProblem(tx, site.id, state), { problem: state });
    return;
  }
  await storeChanges(parts, site, state);
  const listed = new Map(state.machines.map((machine) => [machine.systemId, machine]));
  for (const job of waiting) {
    const comparison = compareWithJob(job, listed.get(job.system_id));
    if (comparison === 'waiting') continue;
    const accepted = await parts.sagas.answer(job.wait_token ?? '', comparison === 'done' ? {} : comparison);
    if (accepted === 'invalid') parts.log.error({ job: job.id }, 'a run refused the answer about its machine');
  }
}

/** Returns a sentence when the site refuses; throws when it does not answer. */
async function querySite(parts: WatchParts, site: WatchedSite): Promise<SiteState | string> {
  if (!parts.seal) return 'This process has no key that opens the keys of MAAS sites.';
  const at = parts.maas.at({
    url: site.url,
    apiKey: parts.seal.open(site.sealed_key, keyLocation(site.id)).toString(),
    caPem: site.ca_pem ?? undefined,
    pool: site.pool ?? undefined,
  });
  const who = await at.whoami();
  if (who instanceof MaasRefused) return sentence(who);
  const machines = await at.machines();
  return machines instanceof MaasRefused ? sentence(machines) : { who, machines };
}
const sentence = ({ kind, message }: MaasRefused): string =>
  (kind === 'denied' ? `MAAS does not accept the key of this site: ${message}` : `MAAS refuses: ${message}`).slice(
    0,
    problemLength,
  );

/** Stores what changed. Most rounds find no change and write nothing. */
async function storeChanges(parts: WatchParts, site: WatchedSite, { who, machines }: SiteState): Promise<void> {
  const known = new Map((await read(parts, (tx) => listStored(tx, site.id))).map((row) => [row.system_id, row]));
  const rows = machines.map((machine) => rowOf(machine, nodeNote));
  const changed = rows.filter(
    (row) => !isDeepStrictEqual({ ...row, missing_since: null }, { ...known.get(row.system_id) }),
  );
  const listed = new Set(rows.map(({ system_id }) => system_id));
  const unlisted = [...known.values()].filter((row) => !listed.has(row.system_id) && row.missing_since === null);
  const isDue = site.seen_at === null || parts.clock.now().getTime() - site.seen_at.getTime() > seenEveryMs;
  const isSiteChanged = site.problem !== null || site.release !== who.release || site.username !== who.username;
  if (changed.length + unlisted.length === 0 && !isDue && !isSiteChanged) return;
  const missing = unlisted.map(({ system_id }) => system_id);
  await write(
    parts,
    site,
    async (tx) => {
      await markReachable(tx, site.id, who);
      if (changed.length > 0) await upsertMachines(tx, site.id, changed);
      if (missing.length > 0) await markMissing(tx, site.id, missing);
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
