import { randomBytes } from 'node:crypto';
import { webhookPath } from '../../../edge/payments/webhook.ts';
import { serveSimulatedCheckout } from '../../../edge/simulated-checkout/serve.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { signBody } from '../../../ports/payments/signature.ts';
import { startDeliveries } from '../../../ports/payments/simulated/deliveries.ts';
import { openSimulatedProvider } from '../../../ports/payments/simulated/provider.ts';
import { host } from '../address.ts';

export interface SimulatedPayments {
  readonly url: string;
  /** The settings with which processes take payments there. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The payment provider of an installation that has none: its page, and the webhooks that it sends to the api. */
export async function startSimulatedPayments(parts: {
  readonly databaseUrl: string;
  readonly apiUrl: string;
  readonly log: Log;
}): Promise<SimulatedPayments> {
  const secret = `whsec_${randomBytes(24).toString('hex')}`;
  const provider = openSimulatedProvider({ url: parts.databaseUrl, clock: systemClock });
  const sending = startDeliveries({
    deliveries: provider,
    sign: (body) => signBody(secret, body, systemClock.now()),
    webhookUrl: `${parts.apiUrl}${webhookPath}`,
    clock: systemClock,
    log: parts.log,
  });
  const page = await serveSimulatedCheckout({
    checkouts: provider,
    host,
    now: () => systemClock.now(),
    paid: () => sending.wake(),
    onFault: (error) => parts.log.error({ err: error }, 'the simulated checkout failed'),
  });
  return {
    url: page.url,
    env: {
      GPUAAS_PAYMENTS: 'simulated',
      GPUAAS_SIMULATED_CHECKOUT_URL: page.url,
      GPUAAS_SIMULATED_WEBHOOK_SECRET: secret,
    },
    async close() {
      await page.close();
      await sending.close();
      await provider.close();
    },
  };
}
