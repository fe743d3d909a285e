import { serveInbox } from '../../../edge/dev-inbox/serve.ts';
import type { Environment } from '../../../kernel/process/config.ts';
import { openDevInbox } from '../../../ports/mail/inbox.ts';
import { host } from '../address.ts';
import { openLog } from '../fleet.ts';
import { type SimulatedPayments, startSimulatedPayments } from '../simulated/simulated-payments.ts';
import type { Closing } from './closing.ts';

/** Opens the page that shows captured mail. Answers its address. */
export async function openInbox(url: string, closing: Closing): Promise<string> {
  const letters = await openDevInbox({ url });
  closing.push(letters.close);
  const page = await serveInbox({
    letters,
    host,
    onFault: (error) => process.stderr.write(`The inbox: ${error instanceof Error ? error.message : 'it failed'}\n`),
  });
  closing.push(page.close);
  return page.url;
}

/** Opens a payment provider of our own, which moves no money. */
export async function openPaymentPage(
  databaseUrl: string,
  apiUrl: string,
  closing: Closing,
  env: Environment,
  logPath: string | undefined,
): Promise<SimulatedPayments> {
  const log = openLog('simulated-payments', env, logPath);
  closing.push(async () => log.flush());
  const payments = await startSimulatedPayments({ databaseUrl, apiUrl, log: log.log });
  closing.push(payments.close);
  return payments;
}
