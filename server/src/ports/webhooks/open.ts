import type { Adapted } from '../adapter.ts';
import { type GuardedConfig, openGuardedWebhooks } from './guarded.ts';
import { openLocalWebhooks } from './local.ts';
import type { Webhooks } from './port.ts';

export type WebhooksConfig = { readonly kind: 'local' } | ({ readonly kind: 'guarded' } & GuardedConfig);

/** The only place that knows how events leave for the addresses of tenants. */
export async function openWebhooks(config: WebhooksConfig): Promise<Webhooks & Adapted> {
  switch (config.kind) {
    case 'local':
      return openLocalWebhooks();
    case 'guarded':
      return openGuardedWebhooks(config);
  }
}
