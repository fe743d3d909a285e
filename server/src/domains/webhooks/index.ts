export { webhookRoutes } from './routes.ts';
export { sealedWebhookSecrets } from './secrets.ts';
export { deliveriesChannel, makeDeliveryExpiry, makePosting, makeWebhookListeners, webhookProcess } from './worker.ts';
