export { autoTopUpRoutes } from './cards/auto-top-up-routes.ts';
export { methodRoutes } from './cards/methods-routes.ts';
export { paymentsChannel } from './facts.ts';
export { financeRoutes } from './finance-routes.ts';
export { sessionRoutes } from './sessions-routes.ts';
export { makeTakeWebhook, type TakeWebhook } from './webhook.ts';
export { openPaymentWork } from './work.ts';
