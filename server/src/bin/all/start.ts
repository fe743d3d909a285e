import { constants, existsSync } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveInbox } from '../../edge/dev-inbox/serve.ts';
import type { Environment } from '../../kernel/process/config.ts';
import { keepKeyring, openKeyring } from '../../kernel/secrets/keyring.ts';
import { startTracing } from '../../kernel/telemetry/trace.ts';
import { DataDirectoryInUse } from '../../ports/database/embedded.ts';
import { openDatabaseServer } from '../../ports/database/open.ts';
import { openDevInbox } from '../../ports/mail/inbox.ts';
import { storeSettings } from '../../ports/open.ts';
import { api } from '../api/process.ts';
import { processes } from '../processes.ts';
import { product, release } from '../release.ts';
import { type LocalAccounts, openLocalAccounts, people } from './accounts.ts';
import { chooseNodePort, choosePort, host } from './address.ts';
import { buildPages } from './build-pages.ts';
import { seedDemo } from './demo.ts';
import { type Member, openLog, openLogFile, startApart, startHere } from './fleet.ts';
import { openFleetDesk } from './fleet-desk.ts';
import { startHistory } from './history.ts';
import { type Options, UsageFault } from './options.ts';
import { announceRunning } from './running.ts';
import { putSecrets, unlessGiven, without } from './secrets/put-secrets.ts';
import { type SimulatedPayments, startSimulatedPayments } from './simulated-payments.ts';
import { startFleet } from './start-fleet.ts';
import { duration, makeSteps, type Steps } from './steps.ts';

const audience = 'gpuaas';

/**
 * The whole product on one machine: the same processes as in production, over embedded ports. Closes everything in the
 * reverse order; what was started before a failure is closed too.
 */
export async function startAll(
  options: Options,
  env: Environment,
  out: NodeJS.WriteStream,
): Promise<{ readonly died: Promise<string>; stop(): Promise<void> }> {
  const began = performance.now();
  const steps = makeSteps(out, out.isTTY === true && env['NO_COLOR'] === undefined);
  const closing: (() => Promise<void>)[] = [];
  // What does not close must neither keep the rest open nor hide why everything is closed.
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) {
      await close().catch((error: unknown) => {
        process.stderr.write(`\n  Not closed cleanly: ${error instanceof Error ? error.message : String(error)}\n`);
      });
    }
  };
  steps.line(`\n${product} ${release}\n`);
  try {
    // Processes of their own do this themselves.
    if (!options.split) {
      const otlpEndpoint = env['GPUAAS_OTLP_ENDPOINT'] || undefined;
      closing.push(startTracing({ service: 'gpuaas', version: release, otlpEndpoint }).close);
    }
    const dataDir = await prepareFolder(options, closing);
    const fresh = !existsSync(join(dataDir, 'postgres'));
    const server = await steps
      .step(
        'database',
        () =>
          openDatabaseServer({ kind: 'embedded', dataDir: join(dataDir, 'postgres'), ephemeral: options.ephemeral }),
        (opened) =>
          [
            opened.describe().split(' in ')[0],
            ...(opened.migrated.length > 0
              ? [fresh ? 'new' : `brought up to date: ${opened.migrated.join(', ')}`]
              : []),
            ...(opened.adopted ? ['taken over from a start that was killed'] : []),
          ].join(', '),
      )
      .catch((error: unknown) => {
        if (error instanceof DataDirectoryInUse) {
          throw new UsageFault(
            `GPUaaS runs on ${dataDir} already (process ${error.pid}). Stop it with Ctrl-C there, or use another folder: npm start -- --data ./other`,
          );
        }
        throw error;
      });
    closing.push(server.close);
    const chosen = await choosePort(dataDir, options.port);
    closing.push(chosen.close);
    const { port } = chosen;
    const url = `http://${host}:${port}`;
    // Browsers make passkeys for names and not for addresses, so a person may call this machine localhost.
    const publicUrl = env['GPUAAS_PUBLIC_URL'] ?? url;
    const sealingKey = await keepKeyring(join(dataDir, 'secrets.key'));
    const issuerUrl = server.urlFor('gpuaas_issuer');
    const logPath = options.verbose ? undefined : await openLogFile(dataDir);
    const nodePort = env['GPUAAS_NODE_PORT'] ?? String(await keepNodePort(dataDir, closing));
    const fleetLog = openLog('simulated-fleet', env, logPath);
    closing.push(async () => fleetLog.flush());
    const desk = options.fleet === 'none' ? undefined : await openFleetDesk(options.speed, fleetLog.log);
    if (desk) closing.push(desk.close);
    // The two have nothing to do with each other, so neither waits.
    const docs = buildPages('docs');
    const { folder: consoleFolder } = await steps.step(
      'console',
      () => buildPages('console'),
      ({ says }) => says,
    );
    const { folder: docsFolder } = await steps.step(
      'docs',
      () => docs,
      ({ says }) => says,
    );
    const shared = {
      ...env,
      ...(consoleFolder && { GPUAAS_CONSOLE_FOLDER: consoleFolder }),
      ...(docsFolder && { GPUAAS_DOCS_FOLDER: docsFolder }),
      GPUAAS_HOST: host,
      GPUAAS_PORT: String(port),
      GPUAAS_NODE_PORT: nodePort,
      GPUAAS_PUBLIC_URL: publicUrl,
      GPUAAS_OBJECTS_FOLDER: env['GPUAAS_OBJECTS_FOLDER'] ?? join(dataDir, 'objects'),
      GPUAAS_OIDC_AUDIENCE: audience,
      GPUAAS_INSTANCE: env['GPUAAS_INSTANCE'] ?? 'local',
      // A receiver on this machine can be tried; production refuses that.
      GPUAAS_WEBHOOKS: env['GPUAAS_WEBHOOKS'] ?? 'local',
      GPUAAS_DATABASE_POOL_SIZE: env['GPUAAS_DATABASE_POOL_SIZE'] ?? '8',
    };
    const accounts = await steps.step(
      'accounts',
      () => openLocalAccounts({ dataDir, issuerUrl, publicUrl, audience, sealingKey }),
      () => `${people.length} people`,
    );
    closing.push(accounts.close);
    // Only without a mail server: then emails go to the inbox page.
    const inboxUrl = env['GPUAAS_SMTP_URL'] ? undefined : await openInbox(server.urlFor('gpuaas_inbox'), closing);
    // Only where nobody else takes payments: then a provider of our own stands in, and says so.
    const payments = env['GPUAAS_PAYMENTS']
      ? undefined
      : await openPaymentPage(server.urlFor('gpuaas_payments'), url, closing, env, logPath);
    const startOne = options.split ? startApart : startHere;
    const members: Member[] = [];
    const keyring = openKeyring(sealingKey, 'The key of the data folder');
    for (const { spec, login, keys, stores } of processes) {
      // Each is given what it needs: only the api reaches accounts, and a worker opens only what it signs or writes with.
      const secrets = {
        ...unlessGiven(env, storeSettings(stores, server.urlFor)),
        ...payments?.env,
        GPUAAS_DATABASE_URL: server.urlFor(login),
        ...(spec === api && {
          GPUAAS_ISSUER_URL: issuerUrl,
          GPUAAS_AUTHORITY_URL: server.urlFor('gpuaas_authority'),
          GPUAAS_SECRETS_KEY: sealingKey,
          ...(desk && { GPUAAS_SIMULATOR_ADDRESS: desk.address }),
        }),
        ...(spec !== api && keys.length > 0 && { GPUAAS_SECRETS_KEY: keyring.only(...keys) }),
      };
      const files = await putSecrets(join(dataDir, 'secrets', spec.name), secrets);
      const member = await steps.step(
        spec.name,
        () => startOne(spec, { ...without(shared, secrets), ...files }, logPath),
        ({ healthUrl }) => `health ${healthUrl}`,
      );
      closing.push(member.stop);
      members.push(member);
    }
    await steps.step(
      'demo data',
      () => seedDemo({ apiUrl: url, databaseUrl: server.urlFor('gpuaas_api'), accounts }),
      () => 'an organization, a project, its people, a catalog',
    );
    if (desk) {
      const fleet = await steps.step(
        'simulated fleet',
        () =>
          startFleet({
            ...{ dataDir, desk, accounts, apiUrl: url, log: fleetLog.log },
            ...{ size: options.fleet, speed: options.speed },
            doorUrl: new URL(`https://${host}:${nodePort}`),
          }),
        ({ hosts, ready }) =>
          `${hosts} hosts${ready < hosts ? `, ${hosts - ready} on their way` : ''}, ${options.speed} times as fast as real ones`,
      );
      closing.push(fleet.close);
    }
    closing.push(await announceRunning(env, publicUrl));
    if (!options.bare) {
      const log = openLog('demo-history', env, logPath);
      closing.push(async () => log.flush());
      closing.push(
        startHistory({
          apiUrl: url,
          databaseUrl: server.urlFor('gpuaas_api'),
          dataDir,
          accounts,
          hasFleet: desk !== undefined,
          log: log.log,
        }).close,
      );
    }
    welcome(steps, {
      url: publicUrl,
      inboxUrl,
      checkoutUrl: payments?.url,
      isSimulated: desk !== undefined,
      dataDir,
      accounts,
      logPath,
      ephemeral: options.ephemeral,
      took: performance.now() - began,
    });
    return {
      died: Promise.race([
        ...members.map((member) => member.died),
        ...(server.lost ? [server.lost.then((error) => error.message)] : []),
      ]),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function keepNodePort(dataDir: string, closing: (() => Promise<void>)[]): Promise<number> {
  const { port, close } = await chooseNodePort(dataDir);
  closing.push(close);
  return port;
}

async function openInbox(url: string, closing: (() => Promise<void>)[]): Promise<string> {
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

async function openPaymentPage(
  databaseUrl: string,
  apiUrl: string,
  closing: (() => Promise<void>)[],
  env: Environment,
  logPath: string | undefined,
): Promise<SimulatedPayments> {
  const log = openLog('simulated-payments', env, logPath);
  closing.push(async () => log.flush());
  const payments = await startSimulatedPayments({ databaseUrl, apiUrl, log: log.log });
  closing.push(payments.close);
  return payments;
}

async function prepareFolder(options: Options, closing: (() => Promise<void>)[]): Promise<string> {
  if (!options.ephemeral) {
    try {
      await mkdir(options.dataDir, { recursive: true, mode: 0o711 });
      await access(options.dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new UsageFault(
        `The data folder ${options.dataDir} cannot be used: ${sayWhyNot(error)}. Choose another one: npm start -- --data ./try-out`,
      );
    }
    return options.dataDir;
  }
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-'));
  // The database's own account must be able to pass through.
  await chmod(folder, 0o711);
  closing.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function sayWhyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return 'this user may not write there';
    case 'EROFS':
      return 'it is on a disk that is mounted read-only';
    case 'ENOSPC':
      return 'the disk is full';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'there is a file of that name on the way';
    default:
      return message;
  }
}

function welcome(
  { line }: Steps,
  facts: {
    url: string;
    dataDir: string;
    accounts: LocalAccounts;
    logPath: string | undefined;
    ephemeral: boolean;
    inboxUrl: string | undefined;
    checkoutUrl: string | undefined;
    isSimulated: boolean;
    took: number;
  },
): void {
  const { url, dataDir, accounts } = facts;
  line();
  line(`  Ready in ${duration(facts.took)}.`);
  line();
  line(`  URL      ${url}`);
  for (const [index, { login, may }] of people.entries()) {
    line(`  ${index === 0 ? 'Logins ' : '       '}  ${login.padEnd(9)} ${may}`);
  }
  line(`  Password ${accounts.password}  (for all of them; kept in ${accounts.passwordPath})`);
  line(`  CLI      npx gpuaas login --base-url ${url}`);
  line(`  Try      curl -sS ${url}/api/v1/sign-in`);
  line(`  Docs     ${url}/docs`);
  line(`  API      ${url}/openapi.json`);
  if (facts.inboxUrl) line(`  Mail     ${facts.inboxUrl}  (outgoing email, captured)`);
  if (facts.checkoutUrl) line(`  Pay      ${facts.checkoutUrl}  (simulated checkout: no money moves)`);
  if (facts.isSimulated)
    line(`  Fleet    ${url}/api/v1/sim/nodes  (hosts that do not exist; the operator may break them)`);
  line(`  Data     ${dataDir}${facts.ephemeral ? ' (removed at the end)' : ''}`);
  if (facts.logPath) line(`  Log      ${facts.logPath}`);
  line('  Stop     Ctrl-C');
  line();
}
