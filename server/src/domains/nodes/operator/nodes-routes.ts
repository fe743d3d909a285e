import {
  type NodeEnrolmentOffer,
  nodeCreate,
  nodeCreated,
  nodeEnrolmentToken,
  nodeGet,
  nodeList,
  nodeUpdate,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import { secondMs } from '../../../kernel/units.ts';
import { findSku, isRegion } from '../../inventory/index.ts';
import type { Policies } from '../../policy/index.ts';
import { type IssuedToken, issueEnrolmentToken } from '../enrolment/enrolment-tokens-store.ts';
import { cloudInit, installCommand, type NodeDoor } from '../enrolment/install.ts';
import type { AgentPackages } from '../enrolment/install-script.ts';
import { advanceNode } from '../machine.ts';
import { ourConditions } from '../presence/conditions.ts';
import { newestPackages } from '../releases/packages.ts';
import type { ReleaseArch } from '../releases/releases-store.ts';
import type { Allowed } from '../rules/node.ts';
import {
  changeNode,
  findDetail,
  findNode,
  insertNode,
  listNodes,
  listSlots,
  lockNode,
  type NodeRow,
  showNode,
  showSlot,
} from './store.ts';

export interface OperatorParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
  readonly door: () => Promise<NodeDoor>;
  /** Where hosts fetch packages of the agent. */
  readonly downloads: string;
  /** Forgets what is remembered of the catalog: what is free may be different now. */
  readonly changed: () => void;
}
const on = handlers<OperatorParts>();
/** What the policies say about hosts. */
export const allowedBy = (policies: Policies): Allowed => ({
  simulated: policies.value('node.simulated_allowed') === true,
});
export const absentNode = () => new Fault('node_not_found', 'There is no such object.');
export const movedOn = (seen: number, version: number) =>
  new Fault('version_conflict', `It was changed in the meantime: you saw version ${seen}, it is at ${version}.`, {
    version,
  });

/** What events say about a node. */
export const factsOf = (row: NodeRow) => ({
  node_id: row.id,
  name: row.name,
  region: row.region,
  state: row.state,
  schedulable: row.schedulable,
  version: Number(row.version),
});

interface Offering {
  readonly allowed: Allowed;
  readonly door: NodeDoor;
  readonly packages: AgentPackages | undefined;
}
const offer = (row: NodeRow, { allowed, door, packages }: Offering, issued: IssuedToken): NodeEnrolmentOffer => ({
  node: showNode(row, allowed),
  purpose: issued.purpose,
  expires_at: issued.expiresAt.toISOString(),
  node_url: door.url,
  ca_fingerprint: door.fingerprint ?? null,
  token: issued.token,
  install_command: installCommand(door, issued, packages),
  cloud_init: cloudInit(door, issued, packages),
  agent_package:
    packages && issued.purpose === 'enrol'
      ? { version: packages.version, architectures: Object.keys(packages.digests).sort() as ReleaseArch[] }
      : null,
});

const create = on(nodeCreate, async ({ db, ids, clock, policies, door, downloads }, act, { body }) => {
  const where = await door();
  const ttlMinutes = policies.number('node.enrolment_token_minutes');
  return db.write(act, async (tx) => {
    const sku = await findSku(tx, body.sku);
    if (!sku) return tx.abandon(new Fault('sku_not_found', `Nothing is called ${body.sku} here.`));
    if (!(await isRegion(tx, body.region))) {
      return tx.abandon(new Fault('region_not_found', `There is no region ${body.region}.`));
    }
    const gpus = body.gpus_total ?? sku.gpus_total;
    if (sku.capacity_shape === 'baremetal' && gpus !== sku.gpus_total) {
      return tx.abandon(
        new Fault(
          'sku_invalid',
          `${sku.slug} is rented as a whole with ${sku.gpus_total} GPUs; this host has ${gpus}.`,
        ),
      );
    }
    const id = ids.next();
    const isNew = await insertNode(tx, {
      id,
      name: body.name,
      region: body.region,
      sku: body.sku,
      gpus_total: gpus,
      onboarding_mode: body.onboarding_mode ?? 'manual',
      address: body.address ?? null,
      labels: body.labels ?? {},
    });
    if (!isNew) {
      return tx.abandon(
        new Fault('node_already_exists', `A node is called ${body.name} already: issue it another token instead.`),
      );
    }
    const issued = await issueEnrolmentToken(tx, { ids, clock }, { nodeId: id, purpose: 'enrol', ttlMinutes });
    const row = (await findNode(tx, id)) as NodeRow;
    const offering = { allowed: allowedBy(policies), door: where, packages: await newestPackages(tx, downloads) };
    return tx.commit(offer(row, offering, issued), {
      target: { type: 'node', id },
      change: body,
      events: [nodeCreated.of(id, factsOf(row))],
    });
  });
});

const issue = on(nodeEnrolmentToken, async ({ db, ids, clock, policies, door, downloads }, act, { params, body }) => {
  const where = await door();
  const ttlMinutes = policies.number('node.enrolment_token_minutes');
  return db.write(act, async (tx) => {
    const moved = await advanceNode(tx, params.node_id, 'issue', { seenVersion: body.version });
    if (moved instanceof Fault) return tx.abandon(moved);
    if (!moved) return tx.abandon(absentNode());
    const fits = moved.to === 'bootstrap_issued' ? 'enrol' : 'recover';
    if (body.purpose !== fits) {
      return tx.abandon(
        new Fault('illegal_transition', `It is ${moved.from}: ask for a token to ${fits} with.`, { state: moved.from }),
      );
    }
    const issued = await issueEnrolmentToken(
      tx,
      { ids, clock },
      { nodeId: params.node_id, purpose: body.purpose, ttlMinutes },
    );
    const row = (await findNode(tx, params.node_id)) as NodeRow;
    const offering = { allowed: allowedBy(policies), door: where, packages: await newestPackages(tx, downloads) };
    return tx.commit(offer(row, offering, issued), {
      target: { type: 'node', id: row.id },
      change: { purpose: body.purpose, expires_at: issued.expiresAt.toISOString() },
      events: 'none',
    });
  });
});

const list = on(nodeList, ({ db, policies }, who, { query }) =>
  readPage({
    name: query.sort === 'name' ? 'nodes-by-name' : 'nodes',
    ...(query.sort === 'name' && { key: 'host' as const }),
    query,
    read: (after, limit) =>
      db.read(who, (tx) =>
        listNodes(tx, {
          after,
          limit,
          region: query.region,
          sku: query.sku,
          state: query.state,
          schedulable: query.schedulable === undefined ? undefined : query.schedulable === 'true',
          q: query.q,
          byName: query.sort === 'name',
        }),
      ),
    keyOf: (row) => (query.sort === 'name' ? row.name : row.id),
    show: (row) => showNode(row, allowedBy(policies)),
  }),
);

const get = on(nodeGet, async ({ db, clock, policies }, who, { params }) =>
  db.read(who, async (tx) => {
    const row = await findNode(tx, params.node_id);
    const more = row && (await findDetail(tx, row.id));
    if (!row || !more) return absentNode();
    const certificate =
      more.serial === null ? undefined : { serial: more.serial, notAfter: more.not_after, revokedAt: more.revoked_at };
    const ours = ourConditions({
      state: row.state,
      schedulable: row.schedulable,
      cordonReason: row.cordon_reason,
      changedAt: row.updated_at,
      reportedAt: more.reported_at,
      lostAfterMs: policies.number('node.lost_after_seconds') * secondMs,
      certificate,
      now: clock.now(),
    });
    const slots = await listSlots(tx, row.id);
    return {
      ...showNode(row, allowedBy(policies)),
      conditions: [...ours, ...(more.conditions ?? [])],
      report: more.reported_at && {
        reported_at: more.reported_at.toISOString(),
        boot_id: more.boot_id,
        clock_skew_ms: Number(more.clock_skew_ms),
        running_tasks: more.running_tasks,
        leases: more.leases,
        gpu_utilization: more.gpu_utilization,
      },
      certificate: certificate
        ? {
            serial: certificate.serial,
            not_after: certificate.notAfter.toISOString(),
            revoked_at: certificate.revokedAt?.toISOString() ?? null,
          }
        : null,
      resource_slots: slots.map(showSlot),
      topology: more.topology,
    };
  }),
);

const update = on(nodeUpdate, ({ db, policies }, act, { params, body }) =>
  db.write(act, async (tx) => {
    const locked = await lockNode(tx, params.node_id);
    if (!locked) return tx.abandon(absentNode());
    if (body.version !== undefined && body.version !== Number(locked.version)) {
      return tx.abandon(movedOn(body.version, Number(locked.version)));
    }
    await changeNode(tx, locked.id, { labels: body.labels, address: body.address });
    const row = (await findNode(tx, locked.id)) as NodeRow;
    return tx.commit(showNode(row, allowedBy(policies)), {
      target: { type: 'node', id: row.id },
      change: body,
      events: 'none',
    });
  }),
);

export const nodeRoutes = (parts: OperatorParts): Mounted[] =>
  [create, issue, list, get, update].map((bind) => bind(parts));
