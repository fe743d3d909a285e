export { mostWords } from './facts.ts';
export { holdBeforeSale, whyNoTransition } from './hold.ts';
export type { Finding } from './judge.ts';
export { makeAttention, makeSettle, makeSilence } from './look.ts';
export { showAlerts } from './metrics.ts';
export { alertRoutes } from './routes.ts';
export { replaceAlerts } from './store.ts';
