import { type Envelope, webhookEvents } from '@gpuaas/contract';
import { type Listener, listener } from '../outbox/index.ts';
import { enqueueDeliveries } from './deliveries-store.ts';
import { deliveriesChannel } from './worker.ts';

/** What a receiver gets: the type, the time and the facts, as in the catalog of events. No id of a person who acted. */
const bodyOf = ({ event_type, occurred_at, event_id, organization_id, project_id, payload }: Envelope): string =>
  JSON.stringify({
    type: event_type,
    timestamp: occurred_at,
    event_id,
    organization_id,
    ...(project_id !== undefined && { project_id }),
    data: payload,
  });

/** Writes a delivery for each webhook that wants the event, once. */
export const makeWebhookListeners = (): Listener[] =>
  webhookEvents.map(({ event }) =>
    listener({
      event,
      action: 'webhook.enqueue',
      effect: async (tx, _payload, envelope) => {
        const { event_id: id, event_type: type, organization_id: organizationId } = envelope;
        if (organizationId !== undefined) {
          const made = await enqueueDeliveries(tx, { organizationId, id, type, body: bodyOf(envelope) });
          if (made > 0) tx.wake(deliveriesChannel, 'new');
        }
        return { type: 'event', id };
      },
    }),
  );
