import type { Adapted } from '../adapter.ts';
import { openGuardedWebhooks } from './guarded.ts';
import type { Webhooks } from './port.ts';

/** Webhooks of `npm start`: receivers on this machine may be tried as well, over http. Everything else is as in production. */
export const openLocalWebhooks = (): Webhooks & Adapted =>
  openGuardedWebhooks({ allowedNetworks: '127.0.0.0/8,::1/128', allowsHttp: true });
