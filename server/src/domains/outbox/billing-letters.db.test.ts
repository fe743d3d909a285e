import { balanceDepleted } from '@gpuaas/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { type Listener, listener } from './index.ts';
import { addEffect, type Desk, eventually, openDesk } from './testing.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
});
afterEach(() => desk.close());

const spent = (organizationId: string) => ({
  ...{ organization_id: organizationId, currency: 'USD', balance_minor: '-1', per_hour_minor: '450' },
  ...{ runway_seconds: 0, allocations: 1, depleted_at: '2026-05-01T00:00:00.000Z', releases_at: null },
});

describe('a billing event that its consumer cannot take', () => {
  it('goes aside, alerts, holds up no other one, and is taken when an operator sends it again', async () => {
    const [poison, fine] = [systemIds.next(), systemIds.next()];
    let isMended = false;
    const listening = listener({
      event: balanceDepleted,
      action: 'test.write_down',
      async effect(tx, payload, envelope) {
        if (payload.organization_id === poison && !isMended) throw new Error('this balance is poison');
        await tx.run(addEffect, ['mailer', envelope.event_id]);
        return { type: 'event', id: envelope.event_id };
      },
    });
    await desk.consumer('mailer', [listening as Listener]);
    const outbox = desk.outbox();
    await outbox.startRelay();
    const bad = await desk.slip('billing.balance_depleted', spent(poison));
    const good = await desk.slip('billing.balance_depleted', spent(fine));
    await eventually(async () => `mailer ${good}` in (await desk.effects()));

    const operator = () => desk.world.operator();
    const letters = async () =>
      (await desk.world.call('GET', '/api/v1/admin/dlq/messages?subject_prefix=dlq.billing.', { as: await operator() }))
        .body.data as { stream_seq: string; event_id: string; consumer: string; reason: string }[];
    const [letter] = await eventually(async () => {
      const found = await letters();
      return found.length > 0 && found;
    });
    expect(letter).toMatchObject({ event_id: bad, consumer: 'mailer', reason: 'this balance is poison' });
    // What the alert of docs/runbooks/dlq-depth.md looks at.
    const alarmed = await eventually(async () => {
      const text = await outbox.scrape();
      return /gpuaas_dlq_depth\{stream="billing"[^}]*\} 1\n/.test(text);
    });
    expect(alarmed).toBe(true);

    isMended = true;
    const sent = await desk.world.call('POST', `/api/v1/admin/dlq/messages/${letter?.stream_seq}/requeue`, {
      ...{ as: await operator(), key: systemIds.next(), body: { reason: 'the consumer was mended' } },
    });
    expect(sent.body).toMatchObject({ event_id: bad, state: 'requeued' });
    await eventually(async () => `mailer ${bad}` in (await desk.effects()));
    expect(await desk.effects()).toEqual({ [`mailer ${good}`]: 1, [`mailer ${bad}`]: 1 });
    expect(await letters()).toEqual([]);
  });
});
