import type { TerminalEndReason, TerminalKind, TerminalRecording } from '@gpuaas/contract/terminal';
import { type ReadTx, sql, type WriteTx } from '../../kernel/act.ts';
import { listedInRefusal } from './facts.ts';

export interface SessionRow {
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly allocation_id: string;
  readonly node_id: string;
  readonly user_id: string;
  readonly name: string;
  readonly kind: TerminalKind;
  /** Of the machine, for a session of kind forward. */
  readonly port: number | null;
  /** The key or the certificate that opened it through the jump host. */
  readonly ssh_key_id: string | null;
  readonly ssh_certificate_id: string | null;
  readonly state: 'opening' | 'open' | 'ended';
  readonly version: bigint;
  readonly recording: TerminalRecording;
  readonly columns: number;
  readonly rows: number;
  readonly simulated: boolean;
  readonly created_at: Date;
  readonly opened_at: Date | null;
  readonly expires_at: Date;
  readonly ended_at: Date | null;
  readonly end_reason: TerminalEndReason | null;
  readonly home_copy: string | null;
  readonly home_peer_url: string | null;
  readonly sent_bytes: bigint | null;
  readonly received_bytes: bigint | null;
}

const find = sql(
  'terminal-session-find',
  `select id, organization_id, project_id, allocation_id, node_id, user_id, name, kind, port, ssh_key_id, ssh_certificate_id, state, version, recording, columns, rows,
     simulated, created_at, opened_at, expires_at, ended_at, end_reason, home_copy, home_peer_url, sent_bytes, received_bytes
   from terminal_sessions where id = $1 and mine(organization_id)`,
);
const list = sql(
  'terminal-session-list',
  `select id, organization_id, project_id, allocation_id, node_id, user_id, name, kind, port, ssh_key_id, ssh_certificate_id, state, version, recording, columns, rows,
     simulated, created_at, opened_at, expires_at, ended_at, end_reason, home_copy, home_peer_url, sent_bytes, received_bytes
   from terminal_sessions
   where organization_id = $1 and allocation_id = $2 and mine(organization_id)
     and ($3::boolean is null or (state <> 'ended') = $3) and ($4::uuid is null or id < $4)
   order by id desc limit $5`,
);
const listAll = sql(
  'terminal-session-list-all',
  `select id, organization_id, project_id, allocation_id, node_id, user_id, name, kind, port, ssh_key_id, ssh_certificate_id, state, version, recording, columns, rows,
     simulated, created_at, opened_at, expires_at, ended_at, end_reason, home_copy, home_peer_url, sent_bytes, received_bytes
   from terminal_sessions
   where mine(organization_id) and ($1::boolean is null or (state <> 'ended') = $1)
     and ($2::uuid is null or organization_id = $2) and ($3::uuid is null or allocation_id = $3)
     and ($4::uuid is null or user_id = $4) and ($5::uuid is null or node_id = $5) and ($6::uuid is null or id < $6)
   order by id desc limit $7`,
);
const owner = sql(
  'terminal-session-owner',
  'select organization_id, project_id from terminal_sessions where id = $1 and mine(organization_id)',
);
/** Locks the organization, so that concurrent openings cannot exceed a limit together. */
const hold = sql(
  'terminal-sessions-hold',
  `select pg_advisory_xact_lock(hashtextextended('terminal-sessions ' || $1::uuid::text, 0))`,
);
const listLive = sql(
  'terminal-sessions-live',
  `select id, name, allocation_id, user_id from terminal_sessions
   where organization_id = $1 and mine(organization_id) and state <> 'ended' and (allocation_id = $2 or user_id = $3)
   order by id desc limit 10000`,
);
const insert = sql(
  'terminal-session-insert',
  `insert into terminal_sessions (id, organization_id, project_id, allocation_id, node_id, user_id, name, kind, port, ssh_key_id,
     ssh_certificate_id, recording, columns, rows, simulated, open_by, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
   returning id, organization_id, project_id, allocation_id, node_id, user_id, name, kind, port, ssh_key_id, ssh_certificate_id, state, version, recording, columns, rows,
     simulated, created_at, opened_at, expires_at, ended_at, end_reason, home_copy, home_peer_url, sent_bytes, received_bytes`,
);
export const lockSession = sql(
  'terminal-session-lock',
  'select state, version from terminal_sessions where id = $1 and mine(organization_id) for update',
);
export const moveSession = sql(
  'terminal-session-move',
  `update terminal_sessions set state = $2, version = $3,
     opened_at = case when $2 = 'open' then act_time() else opened_at end,
     ended_at = case when $2 = 'ended' then act_time() end, end_reason = $4,
     home_copy = coalesce($5, home_copy), home_peer_url = coalesce($6, home_peer_url)
   where id = $1 and mine(organization_id)`,
);
const moveHome = sql(
  'terminal-session-home',
  `update terminal_sessions set home_copy = $2, home_peer_url = $3, version = version + 1
   where id = $1 and mine(organization_id)`,
);
const note = sql(
  'terminal-session-note',
  `update terminal_sessions set sent_bytes = $2, received_bytes = $3, exit_code = $4, version = version + 1
   where id = $1 and mine(organization_id) and sent_bytes is null`,
);
const ended = sql(
  'terminal-sessions-ended',
  `select id, end_reason from terminal_sessions where id = any ($1) and state = 'ended' and mine(organization_id)`,
);
const atHome = sql(
  'terminal-sessions-at-home',
  `select id from terminal_sessions where id = any ($1) and home_copy = $2 and mine(organization_id)`,
);
const homes = sql(
  'terminal-session-homes',
  `select distinct home_copy from terminal_sessions
   where state <> 'ended' and home_copy is not null and mine(organization_id)`,
);
const taskSession = sql(
  'terminal-task-session',
  `select envelope -> 'params' ->> 'session_id' as session_id from node_tasks
   where id = $1 and task_type = 'terminal.open' and mine(organization_id)`,
);
const counts = sql(
  'terminal-session-counts',
  `select state, count(*)::int as sessions from terminal_sessions where state <> 'ended' and mine(organization_id)
   group by state`,
);

export const findSession = async (tx: ReadTx, id: string): Promise<SessionRow | undefined> =>
  (await tx.rows<SessionRow>(find, [id]))[0];
/** The same, and nobody else changes it until this act ends. */
export async function holdSession(tx: WriteTx, id: string): Promise<SessionRow | undefined> {
  await tx.rows(lockSession, [id]);
  return findSession(tx, id);
}
export interface ListQuery {
  readonly live: boolean | undefined;
  readonly before: string | undefined;
  readonly limit: number;
}
export const listSessions = (tx: ReadTx, organizationId: string, allocationId: string, q: ListQuery) =>
  tx.rows<SessionRow>(list, [organizationId, allocationId, q.live ?? null, q.before ?? null, q.limit]);
export const listAllSessions = (
  tx: ReadTx,
  of: {
    readonly organization?: string | undefined;
    readonly allocation?: string | undefined;
    readonly user?: string | undefined;
    readonly node?: string | undefined;
  },
  q: ListQuery,
) =>
  tx.rows<SessionRow>(listAll, [
    ...[q.live ?? null, of.organization ?? null, of.allocation ?? null, of.user ?? null, of.node ?? null],
    ...[q.before ?? null, q.limit],
  ]);
export const findSessionOwner = async (tx: ReadTx, id: string) =>
  (await tx.rows<{ organization_id: string; project_id: string }>(owner, [id]))[0];

interface LiveSession {
  readonly id: string;
  readonly name: string;
  readonly allocation_id: string;
  readonly user_id: string;
}
/** The sessions of an allocation and of a person that have not ended; nobody opens another one until this act ends. */
export async function holdLive(tx: WriteTx, organizationId: string, allocationId: string, userId: string) {
  await tx.rows(hold, [organizationId]);
  const live = await tx.rows<LiveSession>(listLive, [organizationId, allocationId, userId]);
  const shown = (sessions: readonly LiveSession[]) => ({
    count: sessions.length,
    sessions: sessions.slice(0, listedInRefusal).map(({ id, name, allocation_id }) => ({ id, name, allocation_id })),
  });
  return {
    names: new Set(live.filter((one) => one.allocation_id === allocationId).map(({ name }) => name)),
    ofAllocation: shown(live.filter((one) => one.allocation_id === allocationId)),
    ofUser: shown(live.filter((one) => one.user_id === userId)),
  };
}

export async function insertSession(
  tx: WriteTx,
  one: Omit<
    SessionRow,
    | 'state'
    | 'version'
    | 'created_at'
    | 'opened_at'
    | 'ended_at'
    | 'end_reason'
    | 'home_copy'
    | 'home_peer_url'
    | 'sent_bytes'
    | 'received_bytes'
  > & { readonly open_by: Date },
): Promise<SessionRow> {
  const [row] = await tx.rows<SessionRow>(insert, [
    ...[one.id, one.organization_id, one.project_id, one.allocation_id, one.node_id, one.user_id, one.name],
    ...[
      one.kind,
      one.port,
      one.ssh_key_id,
      one.ssh_certificate_id,
      one.recording,
      one.columns,
      one.rows,
      one.simulated,
      one.open_by,
      one.expires_at,
    ],
  ]);
  if (!row) throw new Error('a terminal session was not written');
  return row;
}
export const moveSessionHome = (tx: WriteTx, id: string, copyId: string, peerUrl: string) =>
  tx.run(moveHome, [id, copyId, peerUrl]);
/** What the gateway counted. The first report stays. */
export const noteEnd = (
  tx: WriteTx,
  id: string,
  said: { readonly sent: number; readonly written: number; readonly exitCode: number | null },
) => tx.run(note, [id, said.sent, said.written, said.exitCode]);
export const listEnded = async (tx: ReadTx, ids: readonly string[]) =>
  (await tx.rows<{ id: string; end_reason: TerminalEndReason | null }>(ended, [ids])).flatMap(({ id, end_reason }) =>
    end_reason === null ? [] : [{ id, end_reason }],
  );
/** Of these sessions, those whose home is this copy. */
export const listAtHome = async (tx: ReadTx, ids: readonly string[], copyId: string): Promise<ReadonlySet<string>> =>
  new Set((await tx.rows<{ id: string }>(atHome, [ids, copyId])).map(({ id }) => id));
export const listHomes = async (tx: ReadTx): Promise<string[]> =>
  (await tx.rows<{ home_copy: string | null }>(homes)).flatMap(({ home_copy }) => home_copy ?? []);
export const countByState = (tx: ReadTx) => tx.rows<{ state: 'opening' | 'open'; sessions: number }>(counts);
/** The session that a task `terminal.open` is about. */
export const findTaskSession = async (tx: ReadTx, taskId: string): Promise<string | undefined> =>
  (await tx.rows<{ session_id: string }>(taskSession, [taskId]))[0]?.session_id;
