import { generateKeyPairSync } from 'node:crypto';
import { systemClock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { type LocalAccounts, type Login, people } from './accounts.ts';
import { type Call, CallRefused, keepToken, makeCaller } from './caller.ts';
import { openDemoMarks } from './demo-marks.ts';
import { writeDemoMonth } from './demo-month/write.ts';

/**
 * A past for an installation that has none: colleagues who rented GPUs, gave some back, wait for others, and once got a
 * host that was broken. Everything is asked for through the public API by the people who are said to have done it, and
 * each deed is marked when it is done, so that it is done once; one that was cut off looks at what is there and goes on.
 * The owner has rented nothing yet, so that a person who signs in as owner starts from the beginning.
 */
interface Allocation {
  readonly id: string;
  readonly name: string;
  readonly state: string;
}
interface Page<T> {
  readonly data: readonly T[];
}
interface Desk {
  readonly as: (login: Login) => Call;
  readonly projectId: string;
  readonly organizationId: string;
  readonly signal: AbortSignal;
}

type LaunchBody = { readonly name: string } & Readonly<Record<string, unknown>>;

const slice = { sku: 'h200-sxm-slice', region: 'local' } as const;
/** No simulated fleet has this SKU, so a request for it waits. */
const scarce = { sku: 'mi210x', region: 'north', gpus: 8 } as const;
const weekSeconds = 604_800;
const lookEveryMs = 250;
const patienceMs = 120_000;

export interface History {
  close(): Promise<void>;
}

/** Continues in the background, so that the start does not wait for it. */
export function startHistory(spec: {
  readonly apiUrl: string;
  /** As the api has it: the past cannot be asked for through the API. */
  readonly databaseUrl: string;
  /** Where it is kept which parts were written. */
  readonly dataDir: string;
  readonly accounts: LocalAccounts;
  readonly hasFleet: boolean;
  readonly log: Log;
}): History {
  const leaving = new AbortController();
  const work = writeHistory({ ...spec, signal: leaving.signal }).catch((error: unknown) => {
    if (!leaving.signal.aborted) spec.log.error({ err: error }, 'the demo history could not be written');
  });
  return {
    async close() {
      leaving.abort(new Error('The start is over.'));
      await work;
    },
  };
}

async function writeHistory(spec: Parameters<typeof startHistory>[0] & { readonly signal: AbortSignal }) {
  const tokens = new Map<Login, () => Promise<string>>(
    people.map(({ login }) => [login, keepToken(() => spec.accounts.tokenFor(login))]),
  );
  const callAs = (login: Login, headers = {}) =>
    makeCaller(spec.apiUrl, tokens.get(login) ?? (() => spec.accounts.tokenFor(login)), headers);
  const owner = callAs('owner');
  const me = (await owner('GET', '/api/v1/me')) as { organizations: { id: string; slug: string }[] };
  const organizationId = me.organizations.find(({ slug }) => slug === 'demo')?.id;
  if (!organizationId) return;
  const projects = (await owner('GET', `/api/v1/organizations/${organizationId}/projects`)) as Page<{
    id: string;
    slug: string;
  }>;
  const projectId = projects.data.find(({ slug }) => slug === 'playground')?.id;
  if (!projectId) return;
  const desk: Desk = {
    as: (login) => callAs(login, { 'x-project-id': projectId }),
    projectId,
    organizationId,
    signal: spec.signal,
  };
  const deeds: readonly (readonly [string, () => Promise<void>])[] = [
    ['keys', () => addKeys(desk)],
    ...(spec.hasFleet ? ([['a launch that failed', () => failOnce(desk)]] as const) : []),
    ['programs', () => addPrograms(desk)],
    ['an invitation', () => invite(desk)],
    ['a launch that waits', () => waitInLine(desk)],
    ...(spec.hasFleet ? ([['a month of usage', () => tellMonth(spec, desk)]] as const) : []),
    ['a payment', () => payOnce(desk)],
    ...(spec.hasFleet ? ([['launches', () => launchSome(desk)]] as const) : []),
  ];
  const marks = await openDemoMarks(spec.dataDir);
  // One entry that fails, for example because its object was removed, does not stop the others.
  for (const [name, doIt] of deeds) {
    spec.signal.throwIfAborted();
    await marks.once(name, doIt).catch((error: unknown) => {
      if (spec.signal.aborted) throw error;
      spec.log.warn({ err: error, deed: name }, 'a part of the demo history could not be written');
    });
  }
}

/** What was used before there was an installation, so that charts and forecasts have something to show. */
async function tellMonth(spec: Parameters<typeof startHistory>[0], desk: Desk): Promise<void> {
  const idOf = async (login: Login) => ((await desk.as(login)('GET', '/api/v1/me')) as { id: string }).id;
  await whenHostsAreThere(desk);
  await writeDemoMonth({
    ...{ databaseUrl: spec.databaseUrl, dataDir: spec.dataDir, log: spec.log, ...slice },
    ...{ organizationId: desk.organizationId, projectId: desk.projectId },
    people: { member: await idOf('member'), admin: await idOf('admin') },
  });
}

/** A top-up on the simulated checkout; left out where another provider takes payments. */
async function payOnce(desk: Desk): Promise<void> {
  const path = `/api/v1/organizations/${desk.organizationId}/payments`;
  const owner = desk.as('owner');
  const options = (await owner('GET', `${path}/options`)) as { provider: string; currency?: string };
  if (options.provider !== 'simulated') return;
  const { url } = (await owner('POST', `${path}/sessions`, { amount_minor: '25000', currency: 'USD' })) as {
    url: string | null;
  };
  if (url === null) return;
  const paid = await fetch(`${url}/pay`, {
    ...{ method: 'POST', redirect: 'manual', signal: AbortSignal.any([desk.signal, AbortSignal.timeout(patienceMs)]) },
    body: new URLSearchParams({ card: '4242' }),
  });
  if (paid.status !== 303) throw new Error(`The simulated checkout answered ${paid.status}.`);
}

const known = async (call: Call): Promise<readonly Allocation[]> =>
  ((await call('GET', '/api/v1/allocations?limit=200')) as Page<Allocation>).data;

/** Asks for it unless it has been asked for; hosts that are still on their way are waited for. */
async function ask(desk: Desk, login: Login, body: LaunchBody): Promise<Allocation> {
  const call = desk.as(login);
  const found = (await known(call)).find(({ name }) => name === body.name);
  if (found) return found;
  const ssh_key_ids = await keysOf(call);
  return whenThereIsRoom(
    desk,
    () => call('POST', '/api/v1/allocations', { ...body, ssh_key_ids }) as Promise<Allocation>,
  );
}

/** As the form has it: every key of one's own and of the project. */
async function keysOf(call: Call): Promise<readonly string[]> {
  const lists = await Promise.all(
    ['/api/v1/me/ssh-keys', '/api/v1/ssh-keys'].map((path) => call('GET', path) as Promise<Page<{ id: string }>>),
  );
  return lists.flatMap(({ data }) => data.map(({ id }) => id));
}

async function whenThereIsRoom<T>(desk: Desk, attempt: () => Promise<T>): Promise<T> {
  const untilMs = systemClock.now().getTime() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isFull = error instanceof CallRefused && error.code === 'sku_unavailable';
      if (!isFull || systemClock.now().getTime() > untilMs) throw error;
      await systemClock.sleep(lookEveryMs, desk.signal);
    }
  }
}

async function settle(desk: Desk, login: Login, id: string, states: readonly string[]): Promise<string> {
  const untilMs = systemClock.now().getTime() + patienceMs;
  for (;;) {
    const { state } = (await desk.as(login)('GET', `/api/v1/allocations/${id}`)) as Allocation;
    if (states.includes(state)) return state;
    if (systemClock.now().getTime() > untilMs) throw new Error(`${id} is still ${state}.`);
    await systemClock.sleep(lookEveryMs, desk.signal);
  }
}

/** A launch whose image cannot be fetched would fail on every host, so it fails at once and nobody pays. */
async function failOnce(desk: Desk): Promise<void> {
  const operator = desk.as('operator');
  const fault = 'image_unavailable';
  const name = 'first-attempt';
  const before = (await known(desk.as('member'))).find((each) => each.name === name);
  const isOver = before !== undefined && ['failed', 'released', 'release_failed'].includes(before.state);
  if (isOver) return;
  const hosts = await whenHostsAreThere(desk);
  try {
    if (!before) {
      for (const { node_id } of hosts) {
        await operator('POST', `/api/v1/sim/nodes/${node_id}/faults`, { fault, once: true });
      }
    }
    const { id } = await ask(desk, 'member', { ...slice, name, gpus: 1 });
    await settle(desk, 'member', id, ['failed', 'active', 'released', 'release_failed']);
  } finally {
    // Also when the start is being stopped: nobody else is to meet a fault that was meant for this one.
    for (const { node_id } of hosts) await operator('DELETE', `/api/v1/sim/nodes/${node_id}/faults`, { fault });
  }
}

async function whenHostsAreThere(desk: Desk): Promise<readonly { readonly node_id: string }[]> {
  const untilMs = systemClock.now().getTime() + patienceMs;
  for (;;) {
    const page = (await desk.as('operator')('GET', '/api/v1/sim/nodes')) as Page<{ node_id: string; name: string }>;
    const hosts = page.data.filter(({ name }) => name.startsWith('local-slice-'));
    if (hosts.length > 0) return hosts;
    if (systemClock.now().getTime() > untilMs) throw new Error('There are no simulated hosts.');
    await systemClock.sleep(lookEveryMs, desk.signal);
  }
}

async function launchSome(desk: Desk): Promise<void> {
  const running = [
    ['member', { ...slice, name: 'notebook', gpus: 1, idle: { minutes: 240, action: 'warn' } }],
    ['admin', { ...slice, name: 'fine-tuning', gpus: 2, tags: { team: 'research' } }],
  ] as const;
  for (const [login, body] of running) await ask(desk, login, body);
  await askForGroup(desk);
  const finished = [
    ['member', { ...slice, name: 'image-classifier', gpus: 1, max_duration_seconds: 3_600 }],
    ['admin', { ...slice, name: 'nightly-evaluation', gpus: 2, max_duration_seconds: 10_800 }],
  ] as const;
  for (const [login, body] of finished) {
    const { id } = await ask(desk, login, body);
    const state = await settle(desk, login, id, ['active', 'failed', 'releasing', 'released', 'release_failed']);
    if (state === 'active') await desk.as(login)('POST', `/api/v1/allocations/${id}/release`, {});
  }
}

async function askForGroup(desk: Desk): Promise<void> {
  const call = desk.as('admin');
  const name = 'parameter-sweep';
  const groups = (await call('GET', '/api/v1/allocation-groups')) as Page<{ name: string }>;
  if (groups.data.some((group) => group.name === name)) return;
  const ssh_key_ids = await keysOf(call);
  const members = [1, 2].map((number) => ({ ...slice, name: `${name}-${number}`, gpus: 1, ssh_key_ids }));
  await whenThereIsRoom(desk, () => call('POST', '/api/v1/allocation-groups', { name, members }));
}

async function waitInLine(desk: Desk): Promise<void> {
  await ask(desk, 'member', { ...scarce, name: 'port-to-mi210', queue: { max_wait_seconds: weekSeconds } });
}

/** Public halves of keys whose private halves nobody has. */
async function addKeys(desk: Desk): Promise<void> {
  for (const [login, name] of [
    ['member', 'thinkpad'],
    ['admin', 'workstation'],
  ] as const) {
    const call = desk.as(login);
    const { data } = (await call('GET', '/api/v1/me/ssh-keys')) as Page<unknown>;
    if (data.length === 0) await call('POST', '/api/v1/me/ssh-keys', { name, public_key: makePublicKey(name) });
  }
  const call = desk.as('admin');
  const { data } = (await call('GET', '/api/v1/ssh-keys')) as Page<unknown>;
  const name = 'build-machine';
  if (data.length === 0) await call('POST', '/api/v1/ssh-keys', { name, public_key: makePublicKey(name) });
}

function makePublicKey(comment: string): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const field = (bytes: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const type = 'ssh-ed25519';
  return `${type} ${Buffer.concat([field(Buffer.from(type)), field(raw)]).toString('base64')} ${comment}`;
}

/** A token and a service account. What opens them is shown once, to nobody. */
async function addPrograms(desk: Desk): Promise<void> {
  const look = ['organizations:read', 'projects:read', 'allocations:read'];
  for (const [login, name] of [
    ['owner', 'cost-report'],
    ['member', 'laptop-scripts'],
  ] as const) {
    const call = desk.as(login);
    const { data } = (await call('GET', '/api/v1/me/tokens')) as Page<unknown>;
    if (data.length === 0) await call('POST', '/api/v1/me/tokens', { name, scopes: look, expires_in_days: 90 });
  }
  const call = desk.as('admin');
  const path = `/api/v1/projects/${desk.projectId}/service-accounts`;
  const { data } = (await call('GET', path)) as Page<unknown>;
  if (data.length > 0) return;
  const description = 'Launches the evaluation of every night';
  await call('POST', path, { name: 'Nightly', slug: 'nightly', description, scopes: [...look, 'allocations:write'] });
}

async function invite(desk: Desk): Promise<void> {
  const path = `/api/v1/organizations/${desk.organizationId}/invitations`;
  const email = 'newcomer@demo.example';
  const { data } = (await desk.as('owner')('GET', `${path}?limit=200`)) as Page<{ email: string }>;
  if (data.some((each) => each.email === email)) return;
  await desk.as('owner')('POST', path, { email, role: 'member' });
}
