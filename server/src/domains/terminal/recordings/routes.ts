import {
  adminRecordingCast,
  adminRecordingGet,
  adminRecordingList,
  adminRecordingOpen,
  adminRecordingVerify,
  recordingCast,
  recordingGet,
  recordingList,
  recordingOpen,
  recordingVerify,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type Receipt, type Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { readPage } from '../../../kernel/page.ts';
import type { Objects } from '../../../ports/objects/port.ts';
import type { CastFormat } from './cast.ts';
import { readCast } from './read.ts';
import { showRecording } from './show.ts';
import { findRecording, listRecordings, type RecordingFilter, type RecordingRow } from './store.ts';
import { verifyRecording } from './verify.ts';
import type { Views } from './views.ts';

export interface RecordingParts {
  readonly db: Database;
  readonly objects: Pick<Objects, 'get'>;
  readonly views: Views;
}
const on = handlers<RecordingParts>();
const absent = () => new Fault('terminal_recording_not_found', 'There is no such recording.');
const removed = () => new Fault('recording_removed', 'The recording was removed at the end of its retention.');

/** The recording, if there is one that can be read. */
async function readable(
  parts: RecordingParts,
  who: Viewer,
  id: string,
): Promise<RecordingRow | Fault<'terminal_recording_not_found' | 'recording_removed'>> {
  const row = await parts.db.read(who, (tx) => findRecording(tx, id));
  if (!row) return absent();
  return row.removed_at === null ? row : removed();
}
const list = (
  parts: RecordingParts,
  who: Viewer,
  query: RecordingFilter & { readonly cursor?: string; readonly limit?: number },
) =>
  readPage({
    name: 'recordings',
    query,
    read: (before, limit) => parts.db.read(who, (tx) => listRecordings(tx, query, before, limit)),
    keyOf: ({ id }) => id,
    show: showRecording,
  });
async function get(parts: RecordingParts, who: Viewer, id: string) {
  const row = await parts.db.read(who, (tx) => findRecording(tx, id));
  return row ? showRecording(row) : absent();
}
async function page(
  parts: RecordingParts,
  who: Viewer,
  id: string,
  query: { readonly view: string; readonly at?: string; readonly format?: CastFormat },
) {
  const row = await readable(parts, who, id);
  if (row instanceof Fault) return row;
  if (!(await parts.views.isOpen(query.view, id, who.actorId))) {
    return new Fault('recording_view_invalid', 'Open the recording first; a view is good for an hour.');
  }
  return readCast(parts, who, row, query);
}
async function verify(parts: RecordingParts, who: Viewer, id: string) {
  const row = await readable(parts, who, id);
  return row instanceof Fault ? row : verifyRecording(parts, who, row);
}

/** Opening a recording is an act: the audit log says who looked at whose session, and why. */
const openView = (
  parts: RecordingParts,
  act: Act,
  id: string,
  why: object,
  tenantOf: (row: RecordingRow) => Pick<Receipt, 'organizationId' | 'projectId'>,
) =>
  parts.db.write(act, async (tx) => {
    const row = await findRecording(tx, id);
    if (!row) return tx.abandon(absent());
    if (row.removed_at !== null) return tx.abandon(removed());
    const { view, expiresAt } = await parts.views.open(row.id, act.actorId);
    return tx.commit(
      { view_id: view, expires_at: expiresAt.toISOString(), recording: showRecording(row) },
      {
        target: { type: 'terminal_recording', id: row.id },
        change: { ...why, user_id: row.user_id, allocation_id: row.allocation_id },
        ...tenantOf(row),
        events: 'none',
      },
    );
  });

const listOfTenant = on(recordingList, (parts, who, { query }) =>
  list(parts, who, { ...query, organization: who.organizationId }),
);
const getOfTenant = on(recordingGet, (parts, who, { params }) => get(parts, who, params.terminal_recording_id));
const castOfTenant = on(recordingCast, (parts, who, { params, query }) =>
  page(parts, who, params.terminal_recording_id, query),
);
const verifyOfTenant = on(recordingVerify, (parts, who, { params }) =>
  verify(parts, who, params.terminal_recording_id),
);
const openOfTenant = on(recordingOpen, (parts, act, { params, body }) =>
  openView(parts, act, params.terminal_recording_id, { purpose: body.purpose }, () => ({})),
);

const listOfAll = on(adminRecordingList, (parts, who, { query }) => list(parts, who, query));
const getOfAny = on(adminRecordingGet, (parts, who, { params }) => get(parts, who, params.terminal_recording_id));
const castOfAny = on(adminRecordingCast, (parts, who, { params, query }) =>
  page(parts, who, params.terminal_recording_id, query),
);
const verifyOfAny = on(adminRecordingVerify, (parts, who, { params }) =>
  verify(parts, who, params.terminal_recording_id),
);
const openOfAny = on(adminRecordingOpen, (parts, act, { params, body }) =>
  // The act of an operator has no tenant: the audit row stands with the one whose recording it is.
  openView(parts, act, params.terminal_recording_id, body, ({ organization_id, project_id }) => ({
    organizationId: organization_id,
    projectId: project_id,
  })),
);

export const recordingRoutes = (parts: RecordingParts): Mounted[] => [
  ...[listOfTenant, getOfTenant, openOfTenant, castOfTenant, verifyOfTenant].map((bind) => bind(parts)),
  ...[listOfAll, getOfAny, openOfAny, castOfAny, verifyOfAny].map((bind) => bind(parts)),
];
