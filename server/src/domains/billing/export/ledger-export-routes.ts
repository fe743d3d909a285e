import { createHash } from 'node:crypto';
import { billingLedgerExport } from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type ReadTx, type Viewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { exportLinks } from '../facts.ts';
import { linksSql, tipSql } from './ledger-export-store.ts';

const on = handlers<{ readonly db: Database }>();

interface Tip {
  readonly organization_id: string;
  readonly currency: string;
  readonly balance_minor: string;
  readonly held_minor: string;
  readonly entries: string;
  readonly links: string;
  readonly hash: string;
}
interface Link {
  readonly number: string;
  readonly balance_minor: string;
  readonly held_minor: string;
  readonly hash: string;
  readonly entries: readonly string[] | null;
}
const listLinks = (tx: ReadTx, tip: Tip, after: string) =>
  tx.rows<Link>(linksSql, [tip.organization_id, after, tip.links, exportLinks]);

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

async function* linesOf(db: Database, who: Viewer, tip: Tip): AsyncGenerator<string> {
  yield line({ format: 'gpuaas-ledger-1', ...tip });
  for (let after = '0'; after !== tip.links; ) {
    const links = await db.read(who, (tx) => listLinks(tx, tip, after));
    // A link that is missing is for the reader to find.
    if (links.length === 0) return;
    yield links.map(rowsOf).join('');
    after = links.at(-1)?.number ?? tip.links;
  }
}
/** Each entry with the link that holds it. The digest is there to name the one row that was changed. */
const rowsOf = ({ number, balance_minor, held_minor, hash, entries }: Link): string =>
  (entries ?? [])
    .map((text) =>
      line({ link: number, balance_minor, held_minor, link_hash: hash, entry: text, digest: digestOf(text) }),
    )
    .join('');

const exported = on(billingLedgerExport, async ({ db }, who, { params }) => {
  const [tip] = await db.read(who, (tx) => tx.rows<Tip>(tipSql, [params.organization_id]));
  if (!tip) return new Fault('organization_not_found', 'There is no such object.');
  // The mount sends the pieces of a stream as they come.
  return linesOf(db, who, tip) as unknown as string;
});

export const ledgerExportRoutes = (parts: { readonly db: Database }): Mounted[] => [exported(parts)];
