import type { Client } from 'pg';

/** What a backup says of the installation, so that a restore can show that it brought the same back. */
export interface Figures {
  readonly organizations: number;
  readonly nodes: number;
  readonly allocations: Readonly<Record<string, number>>;
  readonly ledger: { readonly entries: number; readonly digest: string };
  readonly audit: { readonly rows: number; readonly seals: number; readonly digest: string };
  readonly documents: { readonly count: number; readonly digest: string };
  readonly highestGeneration: string;
  readonly lastPosition: string;
}

/** In the snapshot of the given connection, so that they fit a dump of the same snapshot. */
export async function readFigures(client: Client): Promise<Figures> {
  const { rows } = await client.query<Omit<Figures, 'allocations'>>(
    // Rows in an order of their own, each as text, digested: equal tables have equal digests.
    `select (select count(*)::int from organizations) as organizations,
       (select count(*)::int from nodes where state <> 'deleted') as nodes,
       (select jsonb_build_object('entries', count(*), 'digest', coalesce(encode(sha256(convert_to(string_agg(
          l.id::text || l.organization_id::text || l.accounts::text || l.amounts::text || l.at::text, E'\\n' order by l.id
        ), 'UTF8')), 'hex'), '')) from ledger_entries l) as ledger,
       (select jsonb_build_object('rows', (select count(*) from audit_logs), 'seals', count(*), 'digest',
          coalesce(encode(sha256(convert_to(string_agg(
            s.chain || s.sequence::text || s.hash, E'\\n' order by s.chain, s.sequence
          ), 'UTF8')), 'hex'), '')) from audit_seals s) as audit,
       (select jsonb_build_object('count', count(*), 'digest', coalesce(encode(sha256(convert_to(string_agg(
          d.number || encode(d.content_sha256, 'hex'), E'\\n' order by d.id
        ), 'UTF8')), 'hex'), '')) from billing_documents d) as documents,
       (select coalesce(max(generation), 0)::text from slots) as "highestGeneration",
       (select coalesce(max("position"), 0)::text from outbox_events) as "lastPosition"`,
  );
  const states = await client.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from allocations group by state order by state',
  );
  const [figures] = rows;
  if (!figures) throw new Error('The database gives no figures.');
  return { ...figures, allocations: Object.fromEntries(states.rows.map(({ state, count }) => [state, count])) };
}

/** The names of figures that differ. */
export const differing = (one: Figures, other: Figures): string[] =>
  (Object.keys(one) as (keyof Figures)[]).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
