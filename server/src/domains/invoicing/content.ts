import { type DocumentContent, showMoney } from '@gpuaas/contract';
import type { ReadTx } from '../../kernel/act.ts';
import {
  findEntryLine,
  findTreated,
  type Period,
  readBalanceAt,
  readOutstanding,
  readStatementLines,
  readUsageLines,
  type StatementLine,
  type UsageLine,
} from './ledger-lines-store.ts';
import type { Parties } from './parties-routes.ts';
import { decideTax, type Treated, taxOn } from './tax/decide.ts';

/** What a document is about, before anything is read from the ledger. */
export interface Head extends Pick<Parties, 'seller' | 'customer'> {
  readonly organizationId: string;
  readonly number: string;
  readonly issuedOn: string;
  readonly currency: string;
}
type Line = DocumentContent['lines'][number];
export type Tax = NonNullable<DocumentContent['tax']>;

const sum = (lines: readonly Line[]): bigint => lines.reduce((total, line) => total + BigInt(line.amount_minor), 0n);
const plain = (text: string, day: string | null, amount: bigint): Line => ({
  ...{ text, day, quantity_ms: null, unit: null, rate_micro: null },
  amount_minor: amount.toString(),
});
const usageLine = (row: UsageLine, sign: 1n | -1n): Line => ({
  ...{ text: row.sku ?? 'Usage', day: null, quantity_ms: row.quantity_ms.toString(), unit: row.unit },
  rate_micro: row.rate_micro?.toString() ?? null,
  amount_minor: (sign * row.amount_minor).toString(),
});
const names: Readonly<Record<string, string>> = {
  top_up: 'Payment',
  refund: 'Refund',
  grant: 'Credit',
  correction: 'Correction',
  hold: 'Held for launches and disputes',
  hold_release: 'No longer held',
  tax: 'Tax',
};
const entryText = ({ kind, reason }: Pick<StatementLine, 'kind' | 'reason'>): string =>
  `${names[kind] ?? kind}${reason === null ? '' : `: ${reason}`}`;
const statementLine = (line: StatementLine): Line =>
  plain(`${entryText(line)}${line.entries > 1n ? ` (${line.entries} entries)` : ''}`, line.day, line.amount_minor);

const content = (
  kind: DocumentContent['kind'],
  head: Head,
  rest: Partial<Pick<DocumentContent, 'period' | 'due_on' | 'refers_to' | 'tax' | 'balance'>> &
    Pick<DocumentContent, 'lines'>,
): DocumentContent => ({
  ...{ version: 1, kind, number: head.number, issued_on: head.issuedOn, currency: head.currency },
  ...{ period: null, due_on: null, refers_to: null, seller: head.seller, customer: head.customer },
  ...{ tax: null, balance: null },
  ...rest,
});
const taxed = (treated: Treated, net: bigint, tax: bigint): Tax => ({
  treatment: treated.treatment,
  country: treated.country,
  rate_basis_points: treated.rateBasisPoints,
  net_minor: net.toString(),
  tax_minor: tax.toString(),
  gross_minor: (net + tax).toString(),
  note: treated.note,
});

/** Everything that moved the balance in a month. */
export async function statementContent(tx: ReadTx, head: Head, period: Period): Promise<DocumentContent> {
  const { organizationId } = head;
  const [usage, entries, opening, closing] = await Promise.all([
    readUsageLines(tx, organizationId, period),
    readStatementLines(tx, organizationId, period),
    readBalanceAt(tx, organizationId, period.from),
    readBalanceAt(tx, organizationId, period.to),
  ]);
  const lines = [...entries.map(statementLine), ...usage.map((row) => usageLine(row, -1n))];
  if (opening + sum(lines) !== closing) {
    const show = (amount: bigint) => showMoney(amount, head.currency);
    throw new Error(
      `the statement of ${organizationId} for ${period.from} does not add up: ${show(opening)} and ${show(sum(lines))} are not ${show(closing)}`,
    );
  }
  const balance = { opening_minor: opening.toString(), closing_minor: closing.toString() };
  return content('statement', head, { period, lines, balance });
}

/** A payment that came, or one that went back: what its entry in the ledger says. */
export async function entryContent(
  tx: ReadTx,
  kind: 'receipt' | 'credit_note',
  head: Head,
  about: { readonly entryId: string; readonly refersTo: string | null },
): Promise<DocumentContent> {
  const entry = await findEntryLine(tx, head.organizationId, about.entryId);
  if (!entry) throw new Error(`the ledger has no entry ${about.entryId}`);
  const treated = (await findTreated(tx, head.organizationId, about.entryId)) as Treated | null | undefined;
  const untaxed: Treated = { treatment: 'not_registered', country: null, rateBasisPoints: 0, note: null };
  const text = kind === 'receipt' ? 'Payment for the balance' : entryText(entry);
  const tax = taxed(treated ?? untaxed, entry.amount_minor, entry.tax_minor);
  const lines = [plain(text, entry.day, entry.amount_minor)];
  return content(kind, head, { lines, tax, refers_to: about.refersTo });
}

export interface Owed {
  readonly usage: readonly UsageLine[];
  readonly net: bigint;
}
/** What of a month's usage the balance did not cover and no earlier invoice asks for. */
export async function readOwed(tx: ReadTx, organizationId: string, period: Period): Promise<Owed> {
  const [usage, closing, outstanding] = await Promise.all([
    readUsageLines(tx, organizationId, period),
    readBalanceAt(tx, organizationId, period.to),
    readOutstanding(tx, organizationId, period),
  ]);
  const owed = (closing < 0n ? -closing : 0n) - outstanding;
  return { usage, net: owed > 0n ? owed : 0n };
}

export async function invoiceContent(
  tx: ReadTx,
  head: Head,
  about: { readonly period: Period; readonly dueOn: string; readonly treated: Treated },
): Promise<DocumentContent> {
  const { usage, net } = await readOwed(tx, head.organizationId, about.period);
  const lines = usage.map((row) => usageLine(row, 1n));
  const rest = net - sum(lines);
  if (rest < 0n) lines.push(plain('Paid from the balance', null, rest));
  if (rest > 0n) lines.push(plain('Owed from before', null, rest));
  const tax = taxed(about.treated, net, taxOn(net, about.treated.rateBasisPoints));
  return content('invoice', head, { period: about.period, due_on: about.dueOn, lines, tax });
}

/** Takes back everything that another document asked for. */
export function reversalContent(head: Head, taken: DocumentContent): DocumentContent {
  const minus = (amount: string) => (-BigInt(amount)).toString();
  const lines = taken.lines.map((line) => ({ ...line, amount_minor: minus(line.amount_minor) }));
  const { tax } = taken;
  return content('credit_note', head, {
    ...{ lines, refers_to: taken.number, period: taken.period },
    tax: tax && {
      ...tax,
      net_minor: minus(tax.net_minor),
      tax_minor: minus(tax.tax_minor),
      gross_minor: minus(tax.gross_minor),
    },
  });
}

/** How a document of this day is taxed. */
export const treatmentOf = ({ sides }: Parties, day: string): Treated => decideTax(sides, day);
