import { hash } from 'node:crypto';

/**
 * A chain over the audit log: each link covers a row and the link before it, so that changing, removing or slipping in
 * a row breaks every link after it. There is one chain per organization and one for the platform.
 */
export const platformChain = 'platform';

/** A row as the driver gives it; only the names below are covered by a hash. */
export type AuditRow = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly organization_id: string | null;
};

const common = [
  'id',
  'organization_id',
  'project_id',
  'actor_id',
  'actor_kind',
  'actor_role',
  'action',
  'target_type',
  'target_id',
  'result',
  'correlation_id',
  'change',
] as const;
/**
 * What a link covers, by the form that its seal names. The first is that of releases whose log held addresses itself. The
 * second has digests of what can be erased, and the database role that committed the row.
 */
const covered = {
  1: [...common, 'actor_address', 'user_agent', 'created_at'],
  2: [...common, 'particulars', 'committed_by', 'created_at'],
} as const;
export type LinkForm = keyof typeof covered;
/** The form of new links. */
export const linkForm = 2 satisfies LinkForm;

/** The link: a hash of the row and of the link before it. */
export const linkHash = (previous: string, sequence: string, row: AuditRow, form: LinkForm = linkForm): string =>
  hash('sha256', JSON.stringify([previous, sequence, ...covered[form].map((name) => sorted(row[name]))]));

/** The same value in the same words, whatever order its keys were stored in. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
};

/** What the first link of a chain follows. */
export const chainBeginning = '0'.repeat(64);
export const chainOf = (row: AuditRow) => row.organization_id ?? platformChain;
