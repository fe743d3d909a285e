import type { OperationFacts } from '@gpuaas/sdk';
import type { Session } from '../command.ts';
import { usageFailure } from '../failure.ts';
import { resolveOrganization } from '../resolve.ts';
import { fractionOf, type MoneyLike } from '../show/value.ts';

/** Amounts as people write them: `25`, `25.50`, `25.50 EUR`. The API takes whole minor units, which only this file makes. */

interface Written {
  readonly sign: string;
  readonly whole: string;
  readonly cents: string;
  readonly currency: string | undefined;
}

function readWritten(text: string, what: string): Written {
  const [, sign = '', whole, cents = '', currency] =
    /^(-?)(\d{1,15})(?:\.(\d+))?(?: ?([A-Za-z]{3}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) {
    throw usageFailure(`${what} must be an amount, as 25 or 25.50 or '25.50 EUR'; not ${JSON.stringify(text)}.`);
  }
  return { sign, whole, cents, currency: currency?.toUpperCase() };
}

function minorOf({ sign, whole, cents }: Written, currency: string, what: string): string {
  const digits = fractionOf(currency);
  if (cents.length > digits) {
    throw usageFailure(`${what}: ${currency} has ${digits === 0 ? 'no' : digits} decimal places.`);
  }
  const minor = BigInt(whole + cents.padEnd(digits, '0'));
  return `${minor === 0n ? '' : sign}${minor}`;
}

/** An amount with its currency, which may be left out where `otherwise` knows it. */
export async function readMoney(
  text: string,
  what: string,
  otherwise: () => Promise<string | undefined>,
): Promise<MoneyLike> {
  const written = readWritten(text, what);
  const currency = written.currency ?? (await otherwise());
  if (currency === undefined) throw usageFailure(`${what} needs a currency: '${text.trim()} USD'.`);
  return { amount_minor: minorOf(written, currency, what), currency };
}

/** The currency that a SKU is priced in; undefined for one without a price. */
export async function currencyOfSku(session: Session, sku: unknown): Promise<string | undefined> {
  for await (const item of (await session.api()).catalog.list()) {
    if (item.sku === sku) return item.prices?.[0]?.unit_price.currency;
  }
  return undefined;
}

/** An amount that was typed for a field of minor units. */
export interface TypedAmount {
  readonly field: string;
  readonly what: string;
  readonly text: string;
}

/** The minor units of all amounts of a command, and their one currency: as typed, or that of the account. */
export async function readAmounts(
  session: Session,
  { path }: OperationFacts,
  input: Readonly<Record<string, unknown>>,
  typed: readonly TypedAmount[],
): Promise<{ readonly minors: readonly (readonly [string, string])[]; readonly currency: string | undefined }> {
  const written = typed.map(({ field, text, what }) => ({ field, what, ...readWritten(text, what) }));
  const given = typeof input['currency'] === 'string' ? input['currency'].toUpperCase() : undefined;
  const named = new Set([...(given === undefined ? [] : [given]), ...written.flatMap((each) => each.currency ?? [])]);
  if (named.size > 1)
    throw usageFailure(`The amounts are in ${[...named].join(' and ')}; they must be in one currency.`);
  const [first] = typed;
  if (!first) return { minors: [], currency: given };
  const currency = [...named][0] ?? (await currencyOfAccount(session, path, input));
  if (currency === undefined) throw usageFailure(`${first.what} needs a currency: '${first.text.trim()} USD'.`);
  return {
    minors: written.map((each) => [each.field, minorOf(each, currency, each.what)] as const),
    currency,
  };
}

async function currencyOfAccount(
  session: Session,
  path: string,
  input: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const api = await session.api();
  const organization_id = input['organization_id'];
  if (!path.startsWith('/api/v1/admin/')) {
    const id = typeof organization_id === 'string' ? organization_id : await resolveOrganization(session);
    return (await api.organizations.get({ organization_id: id })).currency;
  }
  if (typeof organization_id !== 'string') return undefined;
  for await (const account of api.adminBilling.accountList({ q: organization_id })) return account.balance.currency;
  return undefined;
}
