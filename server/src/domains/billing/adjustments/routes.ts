import {
  type Adjustment,
  adminAdjustmentApprove,
  adminAdjustmentCreate,
  adminAdjustmentList,
  adminAdjustmentReject,
  showMoney,
} from '@gpuaas/contract';
import { type Act, type Database, handlers, type Mounted, type ReadTx, type WriteTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { readPage } from '../../../kernel/page.ts';
import type { Policies } from '../../policy/index.ts';
import { isBeyondAlone } from '../credit/alone.ts';
import { readNow, setEnd } from '../credit/store.ts';
import { lockAccount } from '../ladder/store.ts';
import { enter, findAccount } from '../ledger-store.ts';
import { money } from '../money.ts';
import { isBeyondCorrections } from './alone.ts';
import {
  type AdjustmentRow,
  decideAdjustment,
  findAdjustment,
  findLine,
  insertAdjustment,
  type LineRow,
  listAdjustments,
  lockAdjustment,
  readCorrected,
  readUnreturned,
} from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly policies: Policies;
}
const on = handlers<Parts>();

const show = (row: AdjustmentRow): Adjustment => ({
  id: row.id,
  organization_id: row.organization_id,
  organization_name: row.organization_name,
  state: row.decision ?? (row.expired ? 'expired' : 'waiting'),
  amount: money(row.amount_minor, row.currency),
  corrects: row.line_id,
  credit_expires_at: row.credit_expires_at?.toISOString() ?? null,
  reason: row.reason,
  needs_approval: row.needs_approval,
  requested_by: row.requested_by,
  decided_by: row.decided_by,
  decision_note: row.note,
  entry_id: row.entry_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  decided_at: row.decided_at?.toISOString() ?? null,
});

/** Usage is charged by evidence alone, so a correction only gives it back; one of a grant only takes it back. */
async function findObjection(
  tx: ReadTx,
  line: Pick<LineRow, 'kind' | 'amount_minor'> & { readonly id: string },
  adjustment: Pick<AdjustmentRow, 'id' | 'organization_id' | 'amount_minor' | 'currency'>,
): Promise<Fault<'adjustment_invalid'> | undefined> {
  const invalid = (text: string) => new Fault('adjustment_invalid', text);
  const { amount_minor: amount, currency } = adjustment;
  if (line.kind !== 'usage' && line.kind !== 'grant') {
    return invalid(`A line of the kind ${line.kind} is not corrected by hand: usage and grants are.`);
  }
  if (amount > 0n !== (line.kind === 'usage')) {
    return invalid(
      line.kind === 'usage'
        ? 'Usage is charged by evidence alone: a correction can only give back. Use a positive amount.'
        : 'A grant can only be taken back: use a negative amount, or give another grant.',
    );
  }
  const left = -line.amount_minor - (await readCorrected(tx, line.id, adjustment.id));
  if (amount > 0n ? amount > left : amount < left) {
    const size = left < 0n ? -left : left;
    return invalid(`${showMoney(size, currency)} of this line is left to be corrected, with what waits for approval.`);
  }
  if (amount > 0n) {
    const unreturned = await readUnreturned(tx, adjustment.organization_id, adjustment.id);
    return amount > unreturned
      ? invalid(
          `${showMoney(unreturned, currency)} of the usage of this account was not given back, with what waits for approval and refunds as credit.`,
        )
      : undefined;
  }
  const balance = (await findAccount(tx, adjustment.organization_id))?.balance_minor ?? 0n;
  return balance + amount < 0n
    ? invalid(`The balance is ${showMoney(balance, currency)}: the rest of the grant was spent.`)
    : undefined;
}

/** Enters the correction and closes the request. A second decision finds it closed. */
async function enterAdjustment(tx: WriteTx, { ids, policies }: Parts, act: Act, row: AdjustmentRow, note?: string) {
  const entryId = ids.next();
  const isEntered = await decideAdjustment(tx, row.id, { decision: 'entered', by: act.actorId, note, entryId });
  if (!isEntered) throw new Error(`the adjustment ${row.id} was decided twice`);
  const { organization_id: organizationId, amount_minor: amount, reason } = row;
  if (row.corrects === null) {
    await enter(tx, { id: entryId, organizationId, kind: 'grant', amount, reason }, act);
    const days = policies.number('billing.credit_days', { organizationId });
    await setEnd(tx, organizationId, entryId, row.credit_expires_at ?? undefined, days);
    return;
  }
  const against = row.line_kind === 'usage' ? 'revenue' : 'grants';
  const made = { id: entryId, organizationId, kind: 'correction', amount, reason } as const;
  await enter(tx, { ...made, corrects: row.corrects, against }, act);
}

/** Credit corrects no line; everything else has to fit the line that it names. */
async function checkAdjustment(
  tx: ReadTx,
  { policies }: Parts,
  adjustment: Pick<
    AdjustmentRow,
    'id' | 'organization_id' | 'line_id' | 'amount_minor' | 'currency' | 'credit_expires_at'
  >,
): Promise<Pick<AdjustmentRow, 'line_kind' | 'corrects'> | Fault<'adjustment_invalid' | 'ledger_line_not_found'>> {
  const {
    organization_id: organizationId,
    line_id: lineId,
    amount_minor: amount,
    currency,
    credit_expires_at: end,
  } = adjustment;
  if (lineId !== null && end) {
    return new Fault('adjustment_invalid', 'Only credit ends: leave credit_expires_at out, or leave corrects out.');
  }
  if (lineId === null) {
    if (end && end <= (await readNow(tx))) {
      return new Fault('adjustment_invalid', 'The credit would have expired already: name a later time.');
    }
    const most = BigInt(policies.number('billing.maximum_grant_minor', { organizationId }));
    return amount < 0n || amount > most
      ? new Fault(
          'adjustment_invalid',
          `Credit is between ${showMoney(1n, currency)} and ${showMoney(most, currency)} (billing.maximum_grant_minor). Name the line to take something back.`,
        )
      : { line_kind: 'credit', corrects: null };
  }
  const line = await findLine(tx, organizationId, lineId);
  if (!line?.entry_id) return new Fault('ledger_line_not_found', 'There is no such line in the ledger.');
  const objection = await findObjection(tx, { ...line, id: lineId }, adjustment);
  return objection ?? { line_kind: line.kind as AdjustmentRow['line_kind'], corrects: line.entry_id };
}

/** Whether it is more than one person decides within a day, with what that person decided before. */
async function needsSecondPerson(
  tx: WriteTx,
  { policies }: Parts,
  act: Act,
  adjustment: Pick<AdjustmentRow, 'organization_id' | 'line_id' | 'amount_minor' | 'currency'>,
): Promise<boolean> {
  const { organization_id: organizationId, amount_minor: amount, currency } = adjustment;
  if (adjustment.line_id === null) {
    return (
      (await isBeyondAlone(tx, policies, { organizationId, actorId: act.actorId, amount, currency })) !== undefined
    );
  }
  const size = amount < 0n ? -amount : amount;
  return (
    (await isBeyondCorrections(tx, policies, { organizationId, actorId: act.actorId, amount: size, currency })) !==
    undefined
  );
}

const reread = async (tx: ReadTx, id: string): Promise<Adjustment> => {
  const row = await findAdjustment(tx, id);
  if (!row) throw new Error(`the adjustment ${id} was not stored`);
  return show(row);
};

const create = on(adminAdjustmentCreate, (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const organizationId = params.organization_id;
    const account = await findAccount(tx, organizationId);
    if (!account) return tx.abandon(new Fault('organization_not_found', 'There is no such organization.'));
    const { currency } = account;
    if (currency !== body.currency) {
      return tx.abandon(new Fault('currency_mismatch', `The account is in ${currency}, not ${body.currency}.`));
    }
    // Corrections of one account wait for each other here, so that each sees what the others give back.
    await lockAccount(tx, organizationId);
    const [id, amount] = [parts.ids.next(), BigInt(body.amount_minor)];
    const adjustment = {
      id,
      organization_id: organizationId,
      line_id: body.corrects ?? null,
      amount_minor: amount,
      currency,
      credit_expires_at: body.credit_expires_at === undefined ? null : new Date(body.credit_expires_at),
    };
    const checked = await checkAdjustment(tx, parts, adjustment);
    if (checked instanceof Fault) return tx.abandon(checked);
    const needsApproval = await needsSecondPerson(tx, parts, act, adjustment);
    const hours = parts.policies.number('billing.adjustment_approval_hours', { organizationId });
    await insertAdjustment(
      tx,
      {
        ...{ ...adjustment, ...checked },
        ...{ reason: body.reason.trim(), needs_approval: needsApproval, requested_by: act.actorId },
      },
      hours,
    );
    const row = await lockAdjustment(tx, id);
    if (!row) throw new Error(`the adjustment ${id} was not stored`);
    if (!needsApproval) await enterAdjustment(tx, parts, act, row);
    const change = { amount: money(amount, currency), corrects: adjustment.line_id, needs_approval: needsApproval };
    const target = { type: 'adjustment', id };
    return tx.commit(await reread(tx, id), { target, organizationId, change, events: 'none' });
  }),
);

const list = on(adminAdjustmentList, ({ db }, who, { query }) =>
  readPage({
    name: 'adjustments',
    query,
    read: (before, limit) => db.read(who, (tx) => listAdjustments(tx, query, before, limit)),
    keyOf: (row) => row.id,
    show,
  }),
);

/** The request as it waits, held until the transaction ends. */
async function takeWaiting(tx: WriteTx, id: string) {
  const seen = await findAdjustment(tx, id);
  if (!seen) return new Fault('adjustment_not_found', 'There is no such adjustment.');
  await lockAccount(tx, seen.organization_id);
  const row = await lockAdjustment(tx, id);
  if (row && row.decision === null && !row.expired) return row;
  const state = row?.decision ?? 'expired';
  return new Fault('adjustment_decided', `The adjustment is ${state} already. Ask for a new one if it is needed.`);
}

const approve = on(adminAdjustmentApprove, (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const row = await takeWaiting(tx, params.adjustment_id);
    if (row instanceof Fault) return tx.abandon(row);
    if (row.requested_by === act.actorId) {
      const text = 'You asked for this adjustment: another person of finance has to approve it.';
      return tx.abandon(new Fault('second_person_required', text));
    }
    const checked = await checkAdjustment(tx, parts, row);
    if (checked instanceof Fault) {
      if (checked.code === 'ledger_line_not_found') throw new Error(`the line ${row.line_id} is gone`);
      return tx.abandon(new Fault('adjustment_invalid', checked.message));
    }
    await enterAdjustment(tx, parts, act, row, body.note?.trim());
    return tx.commit(await reread(tx, row.id), {
      target: { type: 'adjustment', id: row.id },
      organizationId: row.organization_id,
      change: { amount: money(row.amount_minor, row.currency), requested_by: row.requested_by },
      events: 'none',
    });
  }),
);

const reject = on(adminAdjustmentReject, (parts, act, { params, body }) =>
  parts.db.write(act, async (tx) => {
    const row = await takeWaiting(tx, params.adjustment_id);
    if (row instanceof Fault) return tx.abandon(row);
    await decideAdjustment(tx, row.id, { decision: 'rejected', by: act.actorId, note: body.note.trim() });
    return tx.commit(await reread(tx, row.id), {
      target: { type: 'adjustment', id: row.id },
      organizationId: row.organization_id,
      change: { requested_by: row.requested_by },
      events: 'none',
    });
  }),
);

export const adjustmentRoutes = (parts: Parts): Mounted[] => [create, list, approve, reject].map((bind) => bind(parts));
