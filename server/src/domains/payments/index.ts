export { paymentsChannel } from './facts.ts';
export { financeRoutes } from './finance.ts';
export { sessionRoutes } from './sessions.ts';
export { makeTakeWebhook, type TakeWebhook } from './webhook.ts';
export { openPaymentWork } from './work.ts';
