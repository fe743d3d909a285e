import { maasSiteCreate, maasSiteGet, maasSiteList, maasSiteRemove, maasSiteUpdate } from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import { readPage } from '../../kernel/page.ts';
import type { Seal } from '../../kernel/secrets/seal.ts';
import type { Maas } from '../../ports/maas/port.ts';
import { isRegion } from '../inventory/index.ts';
import { defaultParallel, defaultSystem } from './facts.ts';
import { keyLocation } from './keys-store.ts';
import { showSite } from './show.ts';
import {
  countUses,
  deleteSite,
  findSite,
  insertSite,
  listSites,
  lockSite,
  type NodeListenerAddress,
  type SiteRow,
  updateSite,
} from './sites-store.ts';
import { maasChannel } from './watch/channel.ts';

export interface SiteParts {
  readonly db: Database;
  readonly ids: Ids;
  /** Seals the keys of sites; without it no site is added. */
  readonly seal: Seal | undefined;
  readonly maas: Pick<Maas, 'urlProblem'>;
  readonly door: () => Promise<NodeListenerAddress>;
}
const on = handlers<SiteParts>();
export const siteNotFound = () => new Fault('maas_site_not_found', 'There is no such object.');
const noSealingKey = () =>
  new Fault('service_unavailable', 'This installation has no sealing key for MAAS: set GPUAAS_SECRETS_KEY.');
const target = (id: string) => ({ type: 'maas_site', id });

const create = on(maasSiteCreate, async ({ db, ids, seal, maas, door }, act, { body }) => {
  if (!seal) return noSealingKey();
  const problem = maas.urlProblem(body.url);
  if (problem !== undefined) return new Fault('maas_url_refused', problem);
  const address = await door();
  return db.write(act, async (tx) => {
    if (!(await isRegion(tx, body.region))) {
      return tx.abandon(new Fault('region_not_found', `There is no region ${body.region}.`));
    }
    const { api_key: apiKey, ...settings } = body;
    const site = {
      ...{ id: ids.next(), ca_pem: null, pool: null, ...defaultSystem, erase: 'full' as const },
      ...{ max_parallel: defaultParallel, ...settings },
    };
    if (!(await insertSite(tx, site, seal.close(apiKey, keyLocation(site.id)), address))) {
      return tx.abandon(new Fault('maas_site_already_exists', `There is a site ${body.name} already.`));
    }
    tx.wake(maasChannel, 'site');
    const row = (await findSite(tx, site.id)) as SiteRow;
    return tx.commit(showSite(row), { target: target(site.id), change: settings, events: 'none' });
  });
});

const list = on(maasSiteList, ({ db }, who, { query }) =>
  readPage({
    name: 'maas-sites',
    query,
    read: (after, limit) => db.read(who, (tx) => listSites(tx, after, limit)),
    keyOf: ({ id }) => id,
    show: showSite,
  }),
);

const get = on(maasSiteGet, async ({ db }, who, { params }) => {
  const row = await db.read(who, (tx) => findSite(tx, params.site_id));
  return row ? showSite(row) : siteNotFound();
});

const update = on(maasSiteUpdate, async ({ db, seal, maas, door }, act, { params, body }) => {
  const { api_key: apiKey, revision, ...settings } = body;
  if (apiKey !== undefined && !seal) return noSealingKey();
  const problem = body.url === undefined ? undefined : maas.urlProblem(body.url);
  if (problem !== undefined) return new Fault('maas_url_refused', problem);
  const address = await door();
  return db.write(act, async (tx) => {
    const row = await lockSite(tx, params.site_id);
    if (!row) return tx.abandon(siteNotFound());
    if (revision !== undefined && revision !== Number(row.revision)) {
      const now = Number(row.revision);
      return tx.abandon(
        new Fault('version_conflict', `It was changed in the meantime: you saw ${revision}, it is at ${now}.`, {
          version: now,
        }),
      );
    }
    // A null takes the certificate of the site away, so public authorities would vouch for the peer.
    const isMoved = (body.url ?? row.url) !== row.url || (body.ca_pem !== undefined && body.ca_pem !== row.ca_pem);
    // The stored key would be sent to the new address, which may belong to another party.
    if (isMoved && apiKey === undefined) {
      const why = 'Give api_key together with a new url or ca_pem: the stored key is not sent to another address.';
      return tx.abandon(new Fault('validation_error', why, { field: 'api_key' }));
    }
    if (isMoved && (await countUses(tx, row.id)).jobs > 0) {
      return tx.abandon(new Fault('maas_site_in_use', 'Jobs of the site are open: wait until its jobs have ended.'));
    }
    const sealed = apiKey === undefined ? undefined : seal?.close(apiKey, keyLocation(row.id));
    await updateSite(tx, { ...row, ...settings }, sealed, address);
    tx.wake(maasChannel, 'site');
    const changed = (await findSite(tx, row.id)) as SiteRow;
    const change = { ...settings, ...(apiKey !== undefined && { api_key: 'replaced' }) };
    return tx.commit(showSite(changed), { target: target(row.id), change, events: 'none' });
  });
});

const remove = on(maasSiteRemove, ({ db }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const row = await lockSite(tx, params.site_id);
    if (!row) return tx.abandon(siteNotFound());
    const { nodes, jobs } = await countUses(tx, row.id);
    if (nodes + jobs > 0) {
      const why = `${nodes} of its machines are nodes, and ${jobs} of its jobs are open: decommission the machines first.`;
      return tx.abandon(new Fault('maas_site_in_use', why, { nodes, jobs }));
    }
    await deleteSite(tx, row.id);
    return tx.commit(showSite(row), { target: target(row.id), change: body, events: 'none' });
  }),
);

export const siteRoutes = (parts: SiteParts): Mounted[] =>
  [create, list, get, update, remove].map((bind) => bind(parts));
