import { endedBy, waits } from '@gpuaas/contract';
import { type BeginAct, type Database, systemViewer, type WriteTx } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Lease } from '../../kernel/process/lease.ts';
import { makeApart, type Reconciler, startReconciler } from '../../kernel/process/reconciler.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import { minuteMs } from '../../kernel/units.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import type { Policies } from '../policy/index.ts';
import { entryContent, readOwed, statementContent, treatmentOf } from './content.ts';
import {
  type DueEntry,
  type DueStatement,
  findDocument,
  listDueEntries,
  listDueStatements,
  listIds,
} from './documents-store.ts';
import { atOnce, compareEveryMs, issueEveryMs, monthLength, tailFrom } from './facts.ts';
import { finalise, type How, lapse, pastDueEvent, remindOf } from './invoices.ts';
import {
  type DueAction,
  insertInvoice,
  listActions,
  listOwing,
  listUninvoiced,
  readNumbers,
} from './invoices-store.ts';
import { dayOf, issue, newAbout } from './issue.ts';
import { readParties } from './parties-routes.ts';
import { taxOn } from './tax/decide.ts';
import { findDifference } from './verify.ts';

export interface Parts {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly policies: Policies;
}
const viewer = (ids: Ids) => systemViewer('billing-worker', { correlationId: ids.next() });

/** Issues one thing in a transaction of its own. */
async function inAct(
  { db, begin, ids, clock, policies }: Parts,
  action: string,
  organizationId: string,
  work: (tx: WriteTx, how: How) => Promise<Parameters<WriteTx['commit']>[1] | undefined>,
): Promise<void> {
  const act = begin(action, { correlationId: ids.next(), organizationId });
  await db.write(act, async (tx) => {
    const receipt = await work(tx, { ids, act, now: clock.now(), policies });
    if (receipt) return tx.commit(undefined, { organizationId, ...receipt });
    return tx.commit(undefined, {
      ...{ target: { type: 'organization', id: organizationId }, organizationId, events: 'none' as const },
    });
  });
}

/** Statements of months that have ended, and documents of payments that came or went back. */
export function makeIssue(parts: Parts): Reconciler {
  const { db, ids, clock, policies } = parts;
  const apart = makeApart('billing-documents', parts);
  return {
    name: 'billing-documents',
    async round(signal) {
      const closed = new Date(clock.now().getTime() - policies.number('billing.month_close_minutes') * minuteMs);
      const [statements, entries] = await db.read(viewer(ids), (tx) =>
        Promise.all([listDueStatements(tx, closed, atOnce), listDueEntries(tx, atOnce)]),
      );
      let issued = 0;
      for (const due of entries) {
        if (signal.aborted) return 'idle';
        await apart({ entry_id: due.entry_id }, async () => {
          await issueForEntry(parts, due);
          issued += 1;
        });
      }
      for (const due of statements) {
        if (signal.aborted) return 'idle';
        await apart({ organization_id: due.organization_id, month: due.from }, async () => {
          await issueStatement(parts, due);
          issued += 1;
        });
      }
      return issued >= atOnce ? 'more' : 'idle';
    },
  };
}
const issueStatement = (parts: Parts, due: DueStatement) =>
  inAct(parts, 'billing.issue_statement', due.organization_id, async (tx, how) => {
    const about = newAbout(parts.ids, due);
    const numberOfStatement = `ST-${due.from.slice(0, monthLength)}-${due.organization_id.slice(tailFrom)}`;
    const period = { from: due.from, to: due.to };
    const issued = await issue(tx, 'statement', about, (head) => statementContent(tx, head, period), {
      ...{ now: how.now, numberOfStatement },
    });
    return {
      target: { type: 'billing_document', id: about.id },
      change: { number: issued.number },
      events: [issued.event],
    };
  });
const issueForEntry = (parts: Parts, due: DueEntry) =>
  inAct(parts, 'billing.issue_document', due.organization_id, async (tx, how) => {
    const kind = due.kind === 'top_up' ? 'receipt' : 'credit_note';
    const about = { ...newAbout(parts.ids, due), entryId: due.entry_id, refersTo: due.refers_to };
    const issued = await issue(
      tx,
      kind,
      about,
      (head) => entryContent(tx, kind, head, { entryId: due.entry_id, refersTo: due.refers_to_number }),
      how,
    );
    return {
      target: { type: 'billing_document', id: about.id },
      change: { number: issued.number },
      events: [issued.event],
    };
  });

/** Drafts of invoices for accounts with a contract, and what time does to invoices. */
export function makeInvoicing(parts: Parts): Reconciler {
  const { db, ids, clock, policies } = parts;
  const apart = makeApart('invoicing', parts);
  let after: string | undefined;
  return {
    name: 'invoicing',
    async round(signal) {
      const now = clock.now();
      const { actions, owing } = await db.read(viewer(ids), async (tx) => ({
        actions: await listActions(tx, now, atOnce),
        owing: await listOwing(tx, after, atOnce),
      }));
      for (const due of actions) {
        if (signal.aborted) return 'idle';
        await apart({ invoice_id: due.id }, () => act(parts, due));
      }
      await draftAll(parts, owing, signal);
      after = owing.length === atOnce ? owing.at(-1) : undefined;
      return after !== undefined || actions.length >= atOnce ? 'more' : 'idle';

      async function draftAll(from: Parts, organizationIds: readonly string[], until: AbortSignal) {
        const contracted = organizationIds.filter(
          (organizationId) => policies.value('billing.invoice_monthly', { organizationId }) === true,
        );
        if (contracted.length === 0) return;
        const period = lastMonth(new Date(now.getTime() - policies.number('billing.month_close_minutes') * minuteMs));
        const due = await db.read(viewer(ids), (tx) => listUninvoiced(tx, contracted, period.from));
        for (const account of due) {
          if (until.aborted) return;
          await apart({ organization_id: account.organization_id }, () => draft(from, account, period));
        }
      }
    },
  };
}
/** The calendar month (UTC) before this moment's. */
export function lastMonth(at: Date): { readonly from: string; readonly to: string } {
  const first = (back: number) => dayOf(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - back, 1)));
  return { from: first(1), to: first(0) };
}
const draft = (
  parts: Parts,
  account: { readonly organization_id: string; readonly currency: string },
  period: { readonly from: string; readonly to: string },
) =>
  inAct(parts, 'invoice.draft', account.organization_id, async (tx, { ids, now, policies }) => {
    const organizationId = account.organization_id;
    const { net } = await readOwed(tx, organizationId, period);
    if (net <= 0n) return undefined;
    const treated = treatmentOf(await readParties(tx, organizationId), dayOf(now));
    const id = ids.next();
    await insertInvoice(
      tx,
      {
        ...{ id, organization_id: organizationId, currency: account.currency, net_minor: net },
        ...{ period_from: period.from, period_to: period.to, tax_minor: taxOn(net, treated.rateBasisPoints) },
      },
      policies.number('billing.invoice_draft_hours', { organizationId }),
    );
    return { target: { type: 'invoice', id }, change: { period, net_minor: net.toString() }, events: 'none' };
  });
const waited = { finalise: waits.invoice.draft, lapse: waits.invoice.final } as const;
const act = (parts: Parts, { id, organization_id, action }: DueAction) =>
  inAct(parts, `invoice.${action}`, organization_id, async (tx, how) => {
    const target = { type: 'invoice', id };
    if (action === 'remind') {
      const done = await remindOf(tx, how, id);
      if (!done) return undefined;
      return { target, change: { reminder: done.reminder }, events: [pastDueEvent(done.invoice, done.reminder)] };
    }
    const moved = await (action === 'finalise' ? finalise : lapse)(tx, how, id);
    // Finance or another worker was faster.
    if (moved instanceof Fault) return undefined;
    const { invoice, issued } = moved;
    return {
      ...{ target, change: { state: invoice.state, number: invoice.number, ...endedBy(waited[action]) } },
      events: issued ? [issued.event] : [pastDueEvent(invoice, 0)],
    };
  });

/** Makes documents again from the ledger, a bounded number in a round and all of them in turn, and counts those that differ. */
export function makeDocumentCheck({
  db,
  ids,
  log,
  metrics,
}: Pick<Parts, 'db' | 'ids' | 'log' | 'metrics'>): Reconciler {
  const unfit = metrics.gauge(
    'gpuaas_billing_documents_unfit',
    'Documents that the ledger did not give again byte for byte when they were last looked at.',
    [],
  );
  const wrong = new Set<string>();
  unfit.set(0);
  let after: string | undefined;
  return {
    name: 'billing-document-check',
    async round(signal) {
      const rows = await db.read(viewer(ids), (tx) => listIds(tx, after, atOnce));
      for (const { id } of rows) {
        if (signal.aborted) break;
        const problem = await db.read(viewer(ids), async (tx) => {
          const document = await findDocument(tx, id);
          return document && (await findDifference(tx, document));
        });
        if (problem === undefined) wrong.delete(id);
        else {
          wrong.add(id);
          log.error({ document_id: id, problem }, 'a document does not fit the ledger');
        }
      }
      after = rows.length === atOnce ? rows.at(-1)?.id : undefined;
      unfit.set(wrong.size);
      return 'idle';
    },
  };
}

/** What the billing-worker does about documents. */
export async function openInvoicing(
  parts: Parts & { readonly listen: DatabasePort['listen']; readonly lease: Lease },
  wokenBy: string,
): Promise<{ close(): Promise<void> }> {
  const { db, ids, clock, log, metrics, lease } = parts;
  const issuing = startReconciler(makeIssue(parts), { clock, log, lease, everyMs: issueEveryMs });
  const invoicing = startReconciler(makeInvoicing(parts), { clock, log, lease, everyMs: issueEveryMs });
  const checking = startReconciler(makeDocumentCheck(parts), { clock, log, lease, everyMs: compareEveryMs });
  const woken = await parts.listen(wokenBy, issuing.wake);
  const pastDue = metrics.gauge('gpuaas_billing_invoices_past_due', 'Invoices that were not paid in time.', []);
  const drafts = metrics.gauge('gpuaas_billing_invoices_draft', 'Invoices that are not final yet.', []);
  metrics.onScrape(async () => {
    const numbers = await db.read(viewer(ids), readNumbers);
    pastDue.set(numbers.past_due);
    drafts.set(numbers.draft);
  });
  return {
    async close() {
      await woken.close();
      await Promise.all([issuing, invoicing, checking].map((each) => each.close()));
    },
  };
}
