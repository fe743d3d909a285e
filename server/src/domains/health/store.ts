import { type ReadTx, sql } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { secondMs } from '../../kernel/units.ts';
import { readFleet, readHealth } from '../nodes/index.ts';
import { readBacklog } from '../outbox/index.ts';
import { newestRows } from './facts.ts';
import type { Reading } from './findings.ts';

// Each family of processes has a database role of its own, so the connected roles show which processes run.
const serverSql = sql(
  'health-server',
  `select pg_database_size(current_database())::text as bytes, count(*)::int as connections,
     current_setting('max_connections')::int as max_connections,
     (count(*) filter (where usename = 'gpuaas_relay'))::int as relays,
     (count(*) filter (where usename = 'gpuaas_billing'))::int as billing,
     (count(*) filter (where usename = 'gpuaas_worker'))::int as workers
   from pg_stat_activity where datname = current_database()`,
);
const unsealedSql = sql(
  'health-unsealed',
  `select count(*)::int as unsealed, min(a.created_at) as oldest from (
     select id, organization_id, created_at from audit_logs
     where organization_id is null or mine(organization_id) order by id desc limit $1
   ) a where not exists (select from audit_seals s where s.audit_id = a.id
     and (s.organization_id is null or mine(s.organization_id)))`,
);

/** What the database says of the platform. */
export async function readPlatform(tx: ReadTx, clock: Clock): Promise<Omit<Reading, 'behind' | 'unlistedProxy'>> {
  const began = clock.now();
  const [server] = await tx.rows<{
    bytes: string;
    connections: number;
    max_connections: number;
    relays: number;
    billing: number;
    workers: number;
  }>(serverSql);
  const now = clock.now();
  const ageSeconds = (at: Date | null | undefined): number =>
    at ? Math.max(0, (now.getTime() - at.getTime()) / secondMs) : 0;
  const [audit] = await tx.rows<{ unsealed: number; oldest: Date | null }>(unsealedSql, [newestRows]);
  const backlog = await readBacklog(tx);
  const fleet = await readFleet(tx, now);
  const health = await readHealth(tx);
  return {
    tookMs: now.getTime() - began.getTime(),
    databaseBytes: Number(server?.bytes ?? 0),
    connections: server?.connections ?? 0,
    maxConnections: server?.max_connections ?? 1,
    relays: server?.relays ?? 0,
    workers: server?.workers ?? 0,
    billing: server?.billing ?? 0,
    pending: backlog.pending,
    oldestPendingSeconds: ageSeconds(backlog.oldestPendingAt),
    oldestPendingType: backlog.oldestPendingType,
    deadLetters: backlog.deadLetters,
    alerts: health.alerts,
    lostNodes: health.lost_nodes,
    silentNodes: health.silent_nodes,
    tasksWaiting: Number(fleet.tasksWaiting),
    oldestTaskSeconds: fleet.oldestTaskSeconds,
    certificatesExpiring: Number(fleet.certificatesExpiring),
    clockSkewSeconds: fleet.clockSkewMaxSeconds,
    unsealed: audit?.unsealed ?? 0,
    oldestUnsealedSeconds: ageSeconds(audit?.oldest),
  };
}
