import type { Gpuaas } from '@gpuaas/sdk';
import { parametersOf, readNewAllocation } from '../apps/place.ts';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { browserOf, openBrowser } from '../login/browser.ts';
import { resolveAllocation } from '../resolve.ts';
import { showOne } from '../show/output.ts';
import { plain, showMoney } from '../show/value.ts';

const usualLines = 200;
const mostOnPage = 200;
const triesForLogs = 60;
const betweenMs = 500;
const shown = ['id', 'name', 'app_reference', 'app_version', 'state', 'simulated', 'allocation_id'];

const perWords: Readonly<Record<number, string>> = { 1: '', 1000: '1,000 ', 1000000: '1,000,000 ' };
/** What the version asks for its units, before anything is launched. */
async function sayUnitPrices(session: Session, api: Gpuaas, reference: string, number: string | undefined) {
  const options = { project: await session.project() };
  for await (const app of api.apps.catalogList({ limit: mostOnPage }, options)) {
    if (app.reference !== reference) continue;
    for await (const version of api.apps.catalogVersionList({ app_id: app.id, limit: mostOnPage }, options)) {
      if (number === undefined ? !version.launchable : version.version !== number) continue;
      for (const { name, unit, price } of version.manifest.metering ?? []) {
        if (price === undefined) continue;
        const { amount_minor, currency, per } = price;
        const amount = showMoney({ amount_minor, currency });
        session.say(`  Units  ${amount} for ${perWords[per] ?? ''}${unit} (${name})`);
      }
      return;
    }
  }
}

export const launch: Run = async (session) => {
  const [app = '', version] = session.arg(0).split('@');
  const [on, sku, name] = ['on', 'sku', 'name'].map((flag) => session.text(flag));
  if ((on === undefined) === (sku === undefined)) {
    throw new Failure(exitCodes.usage, 'Name an allocation with --on, or a SKU for a new one with --sku.');
  }
  const api = await session.api();
  await sayUnitPrices(session, api, app, version);
  const place = sku === undefined ? undefined : await readNewAllocation(session, api, sku);
  const made = await api.appInstances.create(
    {
      app,
      ...(version !== undefined && { version }),
      ...(name !== undefined && { name }),
      parameters: parametersOf(session),
      ...(on !== undefined && { allocation_id: await resolveAllocation(session, on) }),
      ...(place && { allocation: place }),
    },
    { project: await session.project() },
  );
  showOne(session, made, shown);
  for (const { url } of made.routes) if (url !== null) session.say(`  ${url}`);
  return exitCodes.ok;
};

export const upgrade: Run = async (session) => {
  const api = await session.api();
  const moved = await api.appInstances.upgrade({
    ...{ app_instance_id: session.arg(0), version: session.arg(1) },
    parameters: parametersOf(session),
  });
  showOne(session, moved, [...shown, 'version_change', 'previous_version']);
  return exitCodes.ok;
};

export const open: Run = async (session) => {
  const api = await session.api();
  const instance = await api.appInstances.get({ app_instance_id: session.arg(0) });
  const route = instance.routes.find(({ family }) => family === 'browser') ?? instance.routes[0];
  if (!route?.url) {
    throw new Failure(exitCodes.conflict, 'This app instance has no address: it has no endpoint, or has ended.');
  }
  if (instance.state !== 'running') session.say(`It is ${instance.state} and may not answer yet.`);
  const { env, stdout } = session.around;
  stdout.write(`${route.url}\n`);
  const hasScreen = stdout.isTTY === true && !env['SSH_CONNECTION'] && browserOf(env, process.platform) !== undefined;
  if (hasScreen && !session.is('print')) openBrowser(route.url, env);
  return exitCodes.ok;
};

/** Asks the host, and waits until it has answered. */
export const logs: Run = async (session) => {
  const api = await session.api();
  const app_instance_id = session.arg(0);
  const tail_lines = Number(session.text('tail') ?? usualLines);
  const asked = await api.appInstances.logsRequest({ app_instance_id, tail_lines });
  const sleep = session.around.parts?.sleep ?? ((ms: number) => new Promise((resolve) => setTimeout(resolve, ms)));
  for (let tries = 0; tries < triesForLogs; tries += 1) {
    const found = await api.appInstances.logs({ app_instance_id });
    const isNew = found.fetched_at !== null && (asked.asked_at === null || found.fetched_at >= asked.asked_at);
    if (isNew) {
      for (const { text } of found.lines) session.around.stdout.write(`${plain(text)}\n`);
      if (found.truncated)
        session.say('More was printed: these are the last lines that the host keeps and one answer holds.');
      return exitCodes.ok;
    }
    await sleep(betweenMs);
  }
  throw new Failure(exitCodes.server, 'The host has not answered yet. Try again.');
};
