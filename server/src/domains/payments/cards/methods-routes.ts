import {
  type PaymentMethod,
  paymentMethodAdd,
  paymentMethodList,
  paymentMethodRemove,
  paymentMethodSetDefault,
} from '@gpuaas/contract';
import { type Database, handlers, type Mounted, type Viewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Ids } from '../../../kernel/id.ts';
import { minuteMs } from '../../../kernel/units.ts';
import { isRefused, type Payments, type SavedMethod } from '../../../ports/payments/port.ts';
import type { Policies } from '../../policy/index.ts';
import { keepCustomer, readStart } from '../store.ts';
import { findAutoTopUp, findCustomer } from './store.ts';

interface Parts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Policies;
  readonly payments: Payments;
  readonly publicUrl: string;
}
const on = handlers<Parts>();
const show = ({ id, brand, last4, expires, isDefault }: SavedMethod): PaymentMethod => ({
  ...{ id, brand, last4, expires, is_default: isDefault },
});
const absent = () =>
  new Fault('payment_method_not_found', 'There is no such saved card. List them with gpuaas billing cards.');

/** The customer and one of its cards. What the provider keeps is asked for each time: we keep nothing about cards. */
async function findMethod({ db, payments }: Parts, who: Viewer, organizationId: string, methodId: string) {
  const customerId = await db.read(who, (tx) => findCustomer(tx, organizationId, payments.provider));
  if (customerId === undefined) return undefined;
  const method = (await payments.methods(customerId)).find(({ id }) => id === methodId);
  return method && { customerId, method };
}

const list = on(paymentMethodList, async ({ db, payments }, who, { params }) => {
  const customerId = await db.read(who, (tx) => findCustomer(tx, params.organization_id, payments.provider));
  return { data: customerId === undefined ? [] : (await payments.methods(customerId)).map(show) };
});

const add = on(paymentMethodAdd, async ({ db, ids, clock, policies, payments, publicUrl }, act, { params, body }) => {
  const organizationId = params.organization_id;
  const { provider } = payments;
  if (provider === 'disabled') return new Fault('payments_disabled', 'This installation takes no payments.');
  const start = await db.read(act, (tx) => readStart(tx, organizationId, provider));
  if (!start) return new Fault('organization_not_found', 'There is no such object.');
  const customerId = start.customer_id ?? (await payments.customer({ reference: organizationId, name: start.name }));
  const minutes = policies.number('payments.session_minutes', { organizationId });
  const expiresAt = new Date(clock.now().getTime() + minutes * minuteMs);
  const reference = ids.next();
  const page = await payments.openSetup({
    ...{ reference, customerId, title: `Payments of ${start.name}`, expiresAt },
    backUrl: `${publicUrl}${body.return_to ?? '/billing'}?card=${reference}`,
  });
  if (isRefused(page)) return new Fault('payment_refused', `The payment provider says: ${page.refused}.`);
  return db.write(act, async (tx) => {
    if (start.customer_id === null) await keepCustomer(tx, organizationId, provider, customerId);
    return tx.commit(
      { url: page.url, expires_at: expiresAt.toISOString() },
      { target: { type: 'payment_method', id: reference }, organizationId, change: { provider }, events: 'none' },
    );
  });
});

const setDefault = on(paymentMethodSetDefault, async (parts, act, { params }) => {
  const found = await findMethod(parts, act, params.organization_id, params.method_id);
  if (!found) return absent();
  const refused = await parts.payments.setDefaultMethod(found.customerId, params.method_id);
  if (refused) return absent();
  return parts.db.write(act, async (tx) =>
    tx.commit(show({ ...found.method, isDefault: true }), {
      target: { type: 'payment_method', id: params.method_id },
      organizationId: params.organization_id,
      change: { last4: found.method.last4 },
      events: 'none',
    }),
  );
});

/** A repeated request finds the card gone, and answers the same: removing is not undone by asking twice. */
const remove = on(paymentMethodRemove, async (parts, act, { params }) => {
  const { organization_id: organizationId, method_id: id } = params;
  const [found, setting] = [
    await findMethod(parts, act, organizationId, id),
    await parts.db.read(act, (tx) => findAutoTopUp(tx, organizationId)),
  ];
  if (setting?.enabled && found?.method.isDefault) {
    const text = 'Automatic top-ups charge this card. Make another card the default, or turn them off first.';
    return new Fault('payment_method_in_use', text);
  }
  if (found) await parts.payments.removeMethod(found.customerId, id);
  return parts.db.write(act, async (tx) =>
    tx.commit({ id }, { target: { type: 'payment_method', id }, organizationId, change: {}, events: 'none' }),
  );
});

export const methodRoutes = (parts: Parts): Mounted[] => [list, add, setDefault, remove].map((bind) => bind(parts));
