import type { Environment } from '../../kernel/process/config.ts';
import { startTracing } from '../../kernel/telemetry/trace.ts';
import { product, release } from '../release.ts';
import { type LocalAccounts, openLocalAccounts, people } from './accounts.ts';
import { host } from './address.ts';
import { seedDemo } from './demo.ts';
import { openLog } from './fleet.ts';
import { startHistory } from './history.ts';
import { type Closing, closeAll } from './local/closing.ts';
import { openGateways } from './local/gateways.ts';
import { type Ground, openGround } from './local/ground.ts';
import { startMembers } from './local/members.ts';
import { openOwnRegistry } from './local/own-registry.ts';
import { audience, buildAllPages, sharedSettings } from './local/shared-settings.ts';
import { openInbox, openPaymentPage } from './local/stand-ins.ts';
import { type Options, UsageFault } from './options.ts';
import { announceRunning } from './running.ts';
import { startFleet } from './simulated/start-fleet.ts';
import { makeSteps, type Steps } from './steps.ts';
import { welcome } from './welcome.ts';

/** The whole product while it runs on this machine. */
export interface RunningProduct {
  /** Resolves with the reason when a part of it has ended by itself. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

/**
 * The whole product on one machine: the same processes as in production, over embedded ports. Closes everything in the
 * reverse order; what was started before a failure is closed too.
 */
export async function startAll(options: Options, env: Environment, out: NodeJS.WriteStream): Promise<RunningProduct> {
  const steps = makeSteps(out, out.isTTY === true && env['NO_COLOR'] === undefined);
  const closing: Closing = [];
  const stop = () => closeAll(closing);
  steps.line(`\n${product} ${release}\n`);
  try {
    refuseRealTime(options, env);
    const { died } = await startParts(options, env, steps, closing);
    return { died, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts one part after the other; a new one goes where its needs are there already. */
async function startParts(
  options: Options,
  env: Environment,
  steps: Steps,
  closing: Closing,
): Promise<Pick<RunningProduct, 'died'>> {
  const began = performance.now();
  // Processes of their own do this themselves.
  if (!options.split) {
    const otlpEndpoint = env['GPUAAS_OTLP_ENDPOINT'] || undefined;
    closing.push(startTracing({ service: 'gpuaas', version: release, otlpEndpoint }).close);
  }
  const ground = await openGround(options, env, steps, closing);
  const { dataDir, server, apiUrl, publicUrl, sealingKey, logPath, desk } = ground;
  const pages = await buildAllPages(steps);
  const gateways = await openGateways(dataDir, ground, closing);
  const registry = await openOwnRegistry(dataDir, env, closing);
  const accounts = await steps.step(
    'accounts',
    () => openLocalAccounts({ dataDir, issuerUrl: server.urlFor('gpuaas_issuer'), publicUrl, audience, sealingKey }),
    () => `${people.length} people`,
  );
  closing.push(accounts.close);
  // Only without a mail server: then emails go to the inbox page.
  const inboxUrl = env['GPUAAS_SMTP_URL'] ? undefined : await openInbox(server.urlFor('gpuaas_inbox'), closing);
  // Only where nobody else takes payments: then a provider of our own stands in, and says so.
  const payments = env['GPUAAS_PAYMENTS']
    ? undefined
    : await openPaymentPage(server.urlFor('gpuaas_payments'), apiUrl, closing, env, logPath);
  const members = await startMembers(
    {
      ...{ split: options.split, dataDir, logPath, env, sealingKey, server, gateways },
      shared: sharedSettings(ground, env, pages, gateways, registry.env),
      payments: payments?.env ?? {},
      simulatorAddress: desk?.address,
    },
    steps,
    closing,
  );
  await startDemo(options, env, { ...ground, accounts, registry: registry.name }, steps, closing);
  welcome(steps, {
    ...{ url: publicUrl, inboxUrl, checkoutUrl: payments?.url, registry: registry.name, dataDir, accounts, logPath },
    ...{ isSimulated: desk !== undefined, speed: options.speed, ephemeral: options.ephemeral },
    took: performance.now() - began,
  });
  const lost = server.lost ? [server.lost.then((error) => error.message)] : [];
  return { died: Promise.race([...members.map((member) => member.died), ...lost]) };
}

/** Fills the running product: people and a catalog, simulated hosts, and a month of history. */
async function startDemo(
  options: Options,
  env: Environment,
  ground: Ground & { readonly accounts: LocalAccounts; readonly registry: string },
  steps: Steps,
  closing: Closing,
): Promise<void> {
  const { dataDir, accounts, apiUrl, desk } = ground;
  const databaseUrl = ground.server.urlFor('gpuaas_api');
  await steps.step(
    'demo data',
    () => seedDemo({ apiUrl, databaseUrl, accounts, registry: ground.registry }),
    () => 'an organization, a project, its people, a catalog',
  );
  if (desk) {
    const fleet = await steps.step(
      'simulated fleet',
      () =>
        startFleet({
          ...{ dataDir, desk, accounts, apiUrl, log: ground.fleetLog },
          ...{ size: options.fleet, speed: options.hostSpeed, gpuTimeSpeed: options.speed },
          doorUrl: new URL(`https://${host}:${ground.nodePort}`),
        }),
      ({ hosts, ready }) =>
        `${hosts} hosts${ready < hosts ? `, ${hosts - ready} on their way` : ''}, ${options.hostSpeed} times as fast as real ones`,
    );
    closing.push(fleet.close);
  }
  closing.push(await announceRunning(env, ground.publicUrl));
  if (options.bare) return;
  const log = openLog('demo-history', env, ground.logPath);
  closing.push(async () => log.flush());
  const history = startHistory({ apiUrl, databaseUrl, dataDir, accounts, hasFleet: desk !== undefined, log: log.log });
  closing.push(history.close);
}

/** Time that runs faster is for hosts and payments that are simulated: nobody real is charged by it. */
function refuseRealTime({ speed, fleet }: Options, env: Environment): void {
  if (speed === 1) return;
  if (fleet === 'none')
    throw new UsageFault('--speed is for simulated hosts, and --fleet none has none. Leave one out.');
  const real = ['GPUAAS_PAYMENTS', 'GPUAAS_SMTP_URL', 'GPUAAS_BUS_URL', 'GPUAAS_SAGAS_URL'].find((name) => env[name]);
  if (real) throw new UsageFault(`--speed makes time run faster, which ${real} does not allow. Leave one of them out.`);
}
