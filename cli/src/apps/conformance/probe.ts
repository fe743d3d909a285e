import type { AppManifest } from '@gpuaas/contract/apps';
import type { AppInstance, Gpuaas } from '@gpuaas/sdk';
import type { CallRoute, RouteAnswer } from './call-route.ts';
import type { Checklist } from './checklist.ts';

type Endpoint = AppManifest['endpoints'][number];
interface Probed {
  readonly api: Gpuaas;
  readonly call: CallRoute;
  readonly token: string;
  readonly list: Checklist;
  readonly manifest: AppManifest;
  readonly instance: AppInstance;
}
const isWell = (status: number) => status >= 200 && status < 400;
const listens = 'See gpuaas app logs, and compare the port and the path of the manifest with what the app listens on.';

/** Asks every endpoint through its public address, as those who will use it. Answers how many requests went through to the app. */
export async function probeEndpoints(of: Probed): Promise<number> {
  let through = 0;
  for (const endpoint of of.manifest.endpoints) through += await probe(of, endpoint);
  return through;
}

async function probe(of: Probed, endpoint: Endpoint): Promise<number> {
  const { list } = of;
  const check = `endpoint ${endpoint.name}`;
  const url = of.instance.routes.find((route) => route.endpoint === endpoint.name)?.url;
  if (endpoint.auth === 'none_internal') {
    list.notAsked(check, 'It has no address outside: its auth is none_internal.');
    return 0;
  }
  if (!url) {
    list.notAsked(check, `An endpoint of kind ${endpoint.kind} has no address here.`);
    return 0;
  }
  try {
    const headers = await credentials(of, endpoint, url);
    await refuseStrangers(of, endpoint, url);
    return await askPaths(of, endpoint, url, headers);
  } catch (error) {
    list.failed(check, `${url} cannot be reached: ${(error as Error).message}.`, 'gpuaas app get shows its address.');
    return 0;
  }
}

/** The same address without a credential must let nobody in. */
async function refuseStrangers({ call, list }: Probed, { name, kind }: Endpoint, url: string): Promise<void> {
  const check = `endpoint ${name} lets no stranger in`;
  const { status } = await call(`${url}/`);
  const isRefused = kind === 'browser' ? status === 302 || status === 401 : status === 401;
  if (isRefused) list.passed(check);
  else list.failed(check, `It answered ${status} without a credential.`, 'Tell the operator of this installation.');
}

/** A token for programs; for pages a session, as a browser gets it by signing in. */
async function credentials(of: Probed, { kind }: Endpoint, url: string): Promise<Readonly<Record<string, string>>> {
  if (kind !== 'browser') return { authorization: `Bearer ${of.token}` };
  const away = await of.call(`${url}/`, { accept: 'text/html' });
  const asked = away.location === null ? undefined : new URL(away.location).searchParams;
  const [label, state] = [asked?.get('label'), asked?.get('state')];
  if (!label || !state) return {};
  const { redirect_url } = await of.api.appInstances.signInCreate({ label, state, to: '/' });
  const back = await of.call(redirect_url, { cookie: cookiesOf(away) });
  return { cookie: cookiesOf(back) };
}
const cookiesOf = ({ cookies }: RouteAnswer): string => cookies.map((each) => each.split(';', 1)[0]).join('; ');

async function askPaths(
  { call, list, manifest, instance }: Probed,
  endpoint: Endpoint,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  let through = 0;
  const ask = async (check: string, path: string, fits: (answer: RouteAnswer) => string | undefined) => {
    const answer = await call(`${url}${path}`, headers);
    through += 1;
    const trouble = fits(answer);
    if (trouble === undefined) list.passed(check);
    else list.failed(check, `GET ${path}: ${trouble}`, listens);
  };
  const health = endpoint.health?.path ?? '/';
  const anyAnswer = endpoint.health === undefined;
  await ask(`endpoint ${endpoint.name} answers at ${health}`, health, ({ status }) =>
    isWell(status) || (anyAnswer && status < 500) ? undefined : `it answered ${status}`,
  );
  for (const test of (manifest.tests ?? []).filter((each) => each.endpoint === endpoint.name)) {
    const wanted = test.expect_text;
    // What stands for the container of a simulated host answers one page to everything.
    if (instance.simulated && wanted !== undefined) {
      list.notAsked(`test ${test.name}`, 'Its host is simulated, so the text of the app is not there to compare.');
      continue;
    }
    await ask(`test ${test.name}`, test.path, ({ status, text }) => {
      if (status !== test.expect_status) return `it answered ${status} in place of ${test.expect_status}`;
      return wanted === undefined || text.includes(wanted) ? undefined : `its text has no ${JSON.stringify(wanted)}`;
    });
  }
  return through;
}
