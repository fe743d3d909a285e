import {
  adminTerminalSessionEnd,
  adminTerminalSessionList,
  terminalSessionEnd,
  terminalSessionList,
} from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import { readPage } from '../../kernel/page.ts';
import { endSession } from './end.ts';
import type { LiveFacts } from './live.ts';
import { mint } from './mint-routes.ts';
import type { TerminalParts } from './parts.ts';
import { findTarget, isAdministrator } from './rights-store.ts';
import { showForOperator, showSession } from './show.ts';
import { findSession, holdSession, listAllSessions, listSessions, type SessionRow } from './store.ts';

const on = handlers<TerminalParts>();
const absent = () => new Fault('terminal_session_not_found', 'There is no such terminal session.');
const over = ({ end_reason }: SessionRow) =>
  new Fault('terminal_session_ended', `The session has ended before (${end_reason}).`);

/** Rows with what their gateways last reported. */
const withLive = (parts: TerminalParts, rows: readonly SessionRow[]) =>
  Promise.all(rows.map(async (row) => ({ row, live: await parts.live.read(row.id) })));
const keyOf = ({ row }: { readonly row: SessionRow }) => row.id;
const shown =
  <T>(show: (row: SessionRow, live: LiveFacts | undefined) => T) =>
  ({ row, live }: { readonly row: SessionRow; readonly live: LiveFacts | undefined }) =>
    show(row, live);

const list = on(terminalSessionList, async (parts, who, { params, query }) => {
  const { db } = parts;
  if (!(await db.read(who, (tx) => findTarget(tx, params.allocation_id)))) {
    return new Fault('allocation_not_found', 'There is no such allocation.');
  }
  return readPage({
    name: 'terminal-sessions',
    query,
    read: async (before, limit) => {
      const q = { live: query.live, before, limit };
      return withLive(parts, await db.read(who, (tx) => listSessions(tx, who.organizationId, params.allocation_id, q)));
    },
    keyOf,
    show: shown(showSession),
  });
});

const end = on(terminalSessionEnd, async (parts, act, { params }) => {
  const live = await parts.live.read(params.terminal_session_id);
  return parts.db.write(act, async (tx) => {
    const row = await holdSession(tx, params.terminal_session_id);
    if (!row) return tx.abandon(absent());
    const isMine = row.user_id === act.actorId;
    if (!isMine && !isAdministrator(act.actorRole)) {
      return tx.abandon(new Fault('ownership_required', 'Only its owner, or an admin or owner, may end the session.'));
    }
    const event = await endSession(tx, parts.clock, row, isMine ? 'closed_by_user' : 'closed_by_admin', live);
    if (!event) return tx.abandon(over(row));
    return tx.commit(showSession((await findSession(tx, row.id)) ?? row, live), {
      target: { type: 'terminal_session', id: row.id },
      change: { allocation_id: row.allocation_id, user_id: row.user_id },
      events: [event],
    });
  });
});

const listAll = on(adminTerminalSessionList, (parts, who, { query }) =>
  readPage({
    name: 'admin-terminal-sessions',
    query,
    read: async (before, limit) => {
      const q = { live: query.live, before, limit };
      return withLive(parts, await parts.db.read(who, (tx) => listAllSessions(tx, query, q)));
    },
    keyOf,
    show: shown(showForOperator),
  }),
);

const endAny = on(adminTerminalSessionEnd, async (parts, act, { params, body }) => {
  const live = await parts.live.read(params.terminal_session_id);
  return parts.db.write(act, async (tx) => {
    const row = await holdSession(tx, params.terminal_session_id);
    if (!row) return tx.abandon(absent());
    const event = await endSession(tx, parts.clock, row, 'closed_by_operator', live);
    if (!event) return tx.abandon(over(row));
    return tx.commit(showForOperator((await findSession(tx, row.id)) ?? row, live), {
      target: { type: 'terminal_session', id: row.id },
      change: { allocation_id: row.allocation_id, user_id: row.user_id, reason: body.reason },
      organizationId: row.organization_id,
      projectId: row.project_id,
      events: [event],
    });
  });
});

export const terminalRoutes = (parts: TerminalParts): Mounted[] =>
  [mint, list, end, listAll, endAny].map((bind) => bind(parts));
