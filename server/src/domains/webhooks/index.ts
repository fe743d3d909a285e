export { makeWebhookListeners } from './on-events.ts';
export { webhookRoutes } from './routes.ts';
export { sealedWebhookSecrets } from './secrets-store.ts';
export { deliveriesChannel, makeDeliveryExpiry, makePosting, webhookProcess } from './worker.ts';
