import { createHash } from 'node:crypto';

/**
 * Recomputes an export of a ledger: each entry, each link of the hash chain, and the sums. It asks no server, and holds one link
 * at a time.
 */
export interface LedgerVerdict {
  /** The first row that does not fit, counted from 1 as in the file, and why; undefined when all fit. */
  readonly problem: { readonly row: number; readonly says: string } | undefined;
  readonly entries: number;
  readonly links: number;
  /** The sum of the entries. */
  readonly sum: bigint;
  readonly currency: string;
}

interface Head {
  readonly format: string;
  readonly organization_id: string;
  readonly currency: string;
  readonly balance_minor: string;
  readonly held_minor: string;
  readonly entries: string;
  readonly links: string;
  readonly hash: string;
}
interface Row {
  readonly link: string;
  readonly balance_minor: string;
  readonly held_minor: string;
  readonly link_hash: string;
  readonly entry: string;
  readonly digest: string;
}
/** The rows of one link. */
interface Gathered {
  readonly first: Row;
  readonly firstRow: number;
  readonly texts: string[];
  amount: bigint;
  held: bigint;
}
interface State {
  readonly head: Head;
  number: bigint;
  hash: string;
  balance: bigint;
  held: bigint;
  entries: number;
}

const unit = '\u001f';
const entryFields = 13;
const sha256 = (before: string, text: string): string =>
  createHash('sha256').update(Buffer.from(before, 'hex')).update(text).digest('hex');

class Wrong extends Error {
  readonly row: number;
  constructor(row: number, says: string) {
    super(says);
    this.row = row;
  }
}

function parse<T extends object>(line: string, row: number, wanted: readonly (keyof T & string)[]): T {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Wrong(row, 'It is no JSON.');
  }
  const fields = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const missing = wanted.find((name) => typeof fields[name] !== 'string');
  if (missing !== undefined) throw new Wrong(row, `It has no ${missing}.`);
  return value as T;
}
function whole(text: string | undefined, row: number, what: string): bigint {
  if (text === undefined || !/^-?[0-9]{1,19}$/.test(text)) throw new Wrong(row, `Its ${what} is no whole number.`);
  return BigInt(text);
}

/** One entry alone: its digest, its tenant, and that its postings add up to nothing. Answers what it does to the account. */
function readEntry(head: Head, row: Row, at: number): { readonly amount: bigint; readonly held: bigint } {
  if (sha256('', row.entry) !== row.digest) throw new Wrong(at, 'The entry was changed: its digest does not fit.');
  const fields = row.entry.split(unit);
  const [, organization, currency, , , accounts = '', amounts = ''] = fields;
  if (fields.length !== entryFields) throw new Wrong(at, `The entry has ${fields.length} fields, not ${entryFields}.`);
  if (organization !== head.organization_id || currency !== head.currency) {
    throw new Wrong(at, 'The entry belongs to another account.');
  }
  const parts = amounts.split(',').map((each) => whole(each, at, 'amount'));
  if (parts.reduce((sum, each) => sum + each, 0n) !== 0n) throw new Wrong(at, 'Its postings do not sum to zero.');
  const held = accounts.split(',').indexOf('held');
  return { amount: parts[0] ?? 0n, held: held < 0 ? 0n : (parts[held] ?? 0n) };
}

/** A link is whole when the next one begins: its hash, and the balance that it ends with, come out of its entries. */
function closeLink(state: State, { first, firstRow, texts, amount, held }: Gathered): void {
  const name = `Link ${first.link} of the chain`;
  const where = texts.length > 1 ? ` (rows ${firstRow} to ${firstRow + texts.length - 1})` : '';
  if (whole(first.link, firstRow, 'link') !== state.number + 1n) {
    throw new Wrong(firstRow, `${name} follows link ${state.number}: rows are missing.`);
  }
  const text = [first.link, first.balance_minor, first.held_minor, texts.join('\u001e')].join(unit);
  if (sha256(state.hash, text) !== first.link_hash)
    throw new Wrong(firstRow, `${name} does not fit its entries${where}.`);
  state.balance += amount;
  state.held += held;
  if (first.balance_minor !== String(state.balance)) {
    throw new Wrong(firstRow, `${name} says a balance of ${first.balance_minor}; the sum is ${state.balance}${where}.`);
  }
  if (first.held_minor !== String(state.held)) throw new Wrong(firstRow, `${name} has another amount held${where}.`);
  state.number += 1n;
  state.hash = first.link_hash;
}

function closeLedger({ head, number, hash, balance, entries }: State, row: number): void {
  if (head.entries !== String(entries))
    throw new Wrong(row, `There are ${entries} entries; row 1 says ${head.entries}.`);
  if (head.links !== String(number) || head.hash !== hash)
    throw new Wrong(row, 'The last link of the chain is missing.');
  if (head.balance_minor !== String(balance)) {
    throw new Wrong(row, `The balance is ${head.balance_minor}; the sum of the entries is ${balance}.`);
  }
}

const headFields = ['format', 'organization_id', 'currency', 'balance_minor', 'entries', 'links', 'hash'] as const;
const rowFields = ['link', 'balance_minor', 'held_minor', 'link_hash', 'entry', 'digest'] as const;

export async function verifyLedger(lines: AsyncIterable<string>): Promise<LedgerVerdict> {
  let state: State | undefined;
  let open: Gathered | undefined;
  let at = 0;
  try {
    for await (const line of lines) {
      at += 1;
      if (!state) {
        const head = parse<Head>(line, at, headFields);
        if (head.format !== 'gpuaas-ledger-1') throw new Wrong(at, 'It is no export of a ledger.');
        state = { head, number: 0n, hash: '', balance: 0n, held: 0n, entries: 0 };
        continue;
      }
      const row = parse<Row>(line, at, rowFields);
      if (open && open.first.link !== row.link) {
        closeLink(state, open);
        open = undefined;
      }
      const { amount, held } = readEntry(state.head, row, at);
      open ??= { first: row, firstRow: at, texts: [], amount: 0n, held: 0n };
      if (row.link_hash !== open.first.link_hash)
        throw new Wrong(at, 'Its link has another hash than in the row before.');
      open.texts.push(row.entry);
      open.amount += amount;
      open.held += held;
      state.entries += 1;
    }
    if (!state) throw new Wrong(1, 'The file is empty.');
    if (open) closeLink(state, open);
    closeLedger(state, at);
  } catch (fault) {
    if (!(fault instanceof Wrong)) throw fault;
    return verdict(state, { row: fault.row, says: fault.message });
  }
  return verdict(state, undefined);
}

const verdict = (state: State | undefined, problem: LedgerVerdict['problem']): LedgerVerdict => ({
  ...{ problem, entries: state?.entries ?? 0, links: Number(state?.number ?? 0n), sum: state?.balance ?? 0n },
  currency: state?.head.currency ?? '',
});
