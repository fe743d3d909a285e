import { type Static, Type } from 'typebox';
import { Timestamp, Uuid } from '../../ids.ts';
import { page, pageQuery } from '../../pages.ts';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const operators = { kind: 'none', why: 'History of the whole platform, for operators only.' } as const;

export const HistoryTable = Type.Object(
  {
    table: Type.String(),
    kept_by: Type.Enum(['months', 'batches', 'sweeps', 'ever'], {
      description:
        'How old rows leave: whole months are dropped, batches are deleted, or rows are swept without an archive. ever: none leaves, and the table does not lie in months.',
    }),
    bytes: Type.Integer({ minimum: 0, description: 'With indexes and months.' }),
    rows_estimate: Type.Integer({ minimum: 0, description: 'As the database estimates it.' }),
    parts: Type.Integer({ minimum: 0, description: 'Months, with the rest.' }),
    unplaced_rows: Type.Integer({
      minimum: 0,
      description: 'Rows of the last day that came without a month of their own.',
    }),
    retention_policy: Type.Union([Type.String(), Type.Null()], {
      description: 'The policy that says how long rows are kept; null when they are kept for ever.',
    }),
    retention_days: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  },
  { $id: 'HistoryTable', ...strict },
);
export type HistoryTable = Static<typeof HistoryTable>;

export const HistoryArchive = Type.Object(
  {
    id: Uuid,
    subject: Type.Enum(['audit', 'allocations', 'attestations', 'node_tasks']),
    from_at: Type.Union([Timestamp, Type.Null()], { description: 'Null when it begins with the oldest row.' }),
    to_at: Timestamp,
    object_key: Type.String({ description: 'Where it lies in the object store.' }),
    rows: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    bytes: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    sha256: Type.Union([Type.String(), Type.Null()]),
    started_at: Timestamp,
    archived_at: Type.Union([Timestamp, Type.Null()], { description: 'Null while it is being written.' }),
    confirmed_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When another process had read the object and found the rows in it; they leave after that.',
    }),
    removed_at: Type.Union([Timestamp, Type.Null()], {
      description: 'When its rows left the database; null before that.',
    }),
  },
  { $id: 'HistoryArchive', ...strict },
);
export type HistoryArchive = Static<typeof HistoryArchive>;

export const ArchiveVerdict = Type.Object(
  {
    archive_id: Uuid,
    subject: HistoryArchive.properties.subject,
    intact: Type.Boolean(),
    rows: Type.Integer({ minimum: 0, description: 'Rows that were read.' }),
    chains: Type.Integer({ minimum: 0, description: 'Audit chains whose links were recomputed.' }),
    broken: Type.Union([Type.String(), Type.Null()], { description: 'The first thing that does not fit.' }),
  },
  { $id: 'ArchiveVerdict', ...strict },
);
export type ArchiveVerdict = Static<typeof ArchiveVerdict>;

export const historyGet = defineRoute({
  id: 'history_get',
  method: 'GET',
  path: '/api/v1/admin/history',
  tag: 'AdminOps',
  summary: 'Tables that grow with history: their sizes, and how long their rows are kept',
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: [],
  response: Type.Object({ data: Type.Array(HistoryTable) }, strict),
});

export const historyArchiveList = defineRoute({
  id: 'history_archive_list',
  method: 'GET',
  path: '/api/v1/admin/history/archives',
  tag: 'AdminOps',
  summary: 'What was archived, newest first',
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: ['cursor_invalid'],
  query: Type.Object(pageQuery, strict),
  response: page(HistoryArchive),
});

export const historyArchiveVerify = defineRoute({
  id: 'history_archive_verify',
  method: 'GET',
  path: '/api/v1/admin/history/archives/{archive_id}/verify',
  tag: 'AdminOps',
  summary: 'Read an archive and check its digest, its rows and its place in the audit chains',
  auth: { kind: 'admin', scope: 'audit:admin' },
  tenancy: operators,
  lane: 'admin',
  errors: ['archive_not_found'],
  params: Type.Object({ archive_id: Uuid }, strict),
  response: ArchiveVerdict,
});
