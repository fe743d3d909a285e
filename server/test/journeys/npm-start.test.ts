import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processes } from '../../src/bin/processes.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { startCollector } from '../../src/testing/servers/collector.ts';
import { freePort } from '../chaos/children.ts';
import { childrenOf, endAll, inShell, processesOn, run, type Started, start } from './support/npm-start.ts';
import { bringToProd } from './support/push-app.ts';
import { ask, signIn } from './support/sign-in.ts';

/** `npm start` from the outside, as somebody meets it who has just cloned the repository. */
let folder: string;
const nobody = 65_534;
const asRoot = process.getuid?.() === 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-start-'));
  await chmod(folder, 0o755);
});
afterAll(async () => {
  await endAll();
  await rm(folder, { recursive: true, force: true });
});

const patience = 300_000;
const create = async (url: string, token: string, slug: string) => {
  const response = await fetch(`${url}/api/v1/organizations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `make-${slug}`,
    },
    body: JSON.stringify({ name: slug, slug }),
  });
  return response.status;
};
/** What somebody sees who signs in with what was printed. */
const signInAs = async (started: Started, login: string) => {
  const [password = ''] = started.fact('Password').split(' ');
  const { access_token: token } = await signIn(started.fact('URL'), { login, password });
  const { body } = await ask(started.fact('URL'), token);
  const slugs = (body.organizations as { slug: string }[])
    .map(({ slug }) => slug)
    .filter((slug) => !slug.startsWith('personal-'))
    .sort();
  return { token, slugs, platformRoles: body.platform_roles as string[] };
};

/** Neither the log nor the environment or command line of any process below it holds a secret of the installation. */
async function showsNoSecret(started: Started, secrets: readonly string[]): Promise<void> {
  const [password = ''] = started.fact('Password').split(' ');
  const below = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap((child) => below(child.pid))];
  const pids = below(started.pid);
  expect(pids.length).toBeGreaterThan(1);
  const files = pids.flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]);
  for (const file of [...files, started.fact('Log')]) {
    // A backend of the database may have ended since it was counted.
    const text = await readFile(file, 'latin1').catch(() => '');
    for (const secret of [password, ...secrets]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(text.includes(secret), file).toBe(false);
    }
  }
}

/** Invites somebody, and finds the letter where the inbox is said to be. */
async function inviteByMail(started: Started, token: string): Promise<void> {
  const url = started.fact('URL');
  const { body: me } = await ask(url, token);
  const demo = (me.organizations as { id: string; slug: string }[]).find(({ slug }) => slug === 'demo');
  const { status } = await ask(url, token, `/api/v1/organizations/${demo?.id}/invitations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'invite-ada' },
    body: JSON.stringify({ email: 'ada@example.test', role: 'member' }),
  });
  expect(status).toBe(201);
  const [inbox = ''] = started.fact('Mail').split(' ');
  const letter = await eventually(async () => {
    const { data } = (await (await fetch(`${inbox}/letters.json`)).json()) as { data: { to: string; text: string }[] };
    return data.find(({ to }) => to === 'ada@example.test');
  });
  expect(letter.text).toContain(`${url}/invitations/accept#gpuaas_invite_`);
}

/** A member brings an app to prod: the registry that is printed takes the image, and the worker verifies it. */
async function publishesAnApp(started: Started): Promise<void> {
  const url = started.fact('URL');
  const { token } = await signInAs(started, 'member');
  const { body: me } = await ask(url, token);
  const demo = (me.organizations as { id: string; slug: string }[]).find(({ slug }) => slug === 'demo');
  const { body: projects } = await ask(url, token, `/api/v1/organizations/${demo?.id}/projects`);
  const slug = 'pushed';
  let calls = 0;
  const call = (method: string, path: string, body?: object) => {
    calls += 1;
    return ask(url, token, `/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'idempotency-key': `app-${calls}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  };
  expect(await bringToProd(call, projects.data[0].id, slug)).toMatchObject({
    ...{ trust_state: 'verified', lifecycle_state: 'promoted', channel: 'prod' },
    image_repository: `${started.fact('Registry').split(' ')[0]}/demo/${slug}`,
  });
}

/** PostgreSQL is killed below it: it is started again, nothing piles up meanwhile, and writes go on. */
async function survivesItsDatabase(started: Started, data: string): Promise<void> {
  const { token } = await signInAs(started, 'owner');
  const descriptors = async () => (await readdir(`/proc/${started.pid}/fd`)).length;
  const before = await descriptors();
  const serverPid = async () =>
    Number((await readFile(join(data, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')[0]);
  const killed = await serverPid();
  process.kill(killed, 'SIGKILL');
  await eventually(async () => (await create(started.fact('URL'), token, 'after-the-kill').catch(() => 0)) === 201);
  expect(await serverPid()).not.toBe(killed);
  expect(await descriptors()).toBeLessThan(before + 50);
}

describe('npm start', () => {
  it('says what it takes, and what was typed wrong, without starting anything', async () => {
    const [help, unknown, port, both] = await Promise.all([
      run(['--help']),
      run(['--prot', '1']),
      run(['--port', 'eighty']),
      run(['--data', './x', '--ephemeral']),
    ]);
    expect(help.code).toBe(0);
    for (const option of ['--port', '--data', '--ephemeral', '--split', '--verbose', '--help']) {
      expect(help.output).toContain(option);
    }
    expect(unknown).toEqual({ code: 1, output: `\nUnknown option '--prot'. See npm start -- --help.\n` });
    expect(port).toEqual({ code: 1, output: '\n--port takes a number from 1 to 65535, not "eighty".\n' });
    expect(both.code).toBe(1);
    expect(both.output).toContain('give one of them');
  }, 60_000);

  it(
    'prints facts that work, keeps its state over Ctrl-C and over kill -9, and is alone on its data',
    async () => {
      const data = join(folder, 'with a space');
      const port = await freePort();
      const first = await start(['--data', data, '--port', String(port)]);
      expect(first.output()).toMatch(/^ {2}Ready in /m);
      expect(first.fact('URL')).toBe(`http://127.0.0.1:${port}`);
      expect(first.fact('Data')).toBe(data);
      expect(JSON.parse(await inShell(first.fact('Try')))).toMatchObject({ issuer: `http://127.0.0.1:${port}/oidc` });
      expect(first.fact('CLI')).toBe(`npx gpuaas login --base-url http://127.0.0.1:${port}`);
      const kept = await stat(join(data, 'demo-password'));
      expect(kept.mode & 0o777).toBe(0o600);
      const owner = await signInAs(first, 'owner');
      expect(owner).toMatchObject({ slugs: ['demo'], platformRoles: [] });
      expect(await signInAs(first, 'viewer')).toMatchObject({ slugs: ['demo'], platformRoles: [] });
      expect(await signInAs(first, 'operator')).toMatchObject({ slugs: [], platformRoles: ['platform_superadmin'] });
      const page = await fetch(first.fact('URL'));
      expect(page.headers.get('content-type')).toContain('text/plain');
      expect(await page.text()).toContain('/openapi.json');
      const description = await fetch(first.fact('API'));
      expect(((await description.json()) as { openapi: string }).openapi).toMatch(/^3\.1/);
      const again = await fetch(first.fact('API'), {
        headers: { 'if-none-match': description.headers.get('etag') ?? '' },
      });
      expect(again.status).toBe(304);
      const healths = [...first.output().matchAll(/health (http:\S+)/g)].map(([, url]) => url);
      expect(healths).toHaveLength(processes.length);
      for (const url of [...healths, first.fact('URL')]) {
        expect((await fetch(`${url}/healthz`)).status, url).toBe(200);
        const ready = await fetch(`${url}/readyz`);
        expect(await ready.json()).toMatchObject({ ready: true });
      }
      for (const url of healths) expect(await (await fetch(`${url}/metrics`)).text()).toContain('gpuaas_build_info');

      await inviteByMail(first, owner.token);
      await publishesAnApp(first);
      const sealing = await readFile(join(data, 'secrets.key'));
      await showsNoSecret(first, [sealing.toString('latin1').trim(), sealing.toString('base64'), owner.token]);

      // A second one on the same data says so, and does no harm.
      const second = await run(['--data', data]);
      expect(second.code).toBe(1);
      expect(second.output).toContain(`GPUaaS runs on ${data} already (process `);
      expect(second.output).not.toContain('    at ');

      expect(await create(first.fact('URL'), owner.token, 'acknowledged')).toBe(201);
      expect(await first.kill('SIGKILL')).toBe('SIGKILL');

      // Without --port: the data remember it.
      const third = await start(['--data', data]);
      expect(third.fact('URL')).toBe(`http://127.0.0.1:${port}`);
      expect(third.fact('Password')).toBe(first.fact('Password'));
      expect((await signInAs(third, 'owner')).slugs).toEqual(['acknowledged', 'demo']);
      // What was signed before the start still counts: the keys are part of the data.
      expect((await ask(third.fact('URL'), owner.token)).status).toBe(200);
      expect(await third.kill('SIGINT')).toBe(0);
      expect(third.output()).toContain('Your data are kept');
      await eventually(async () => processesOn(data).length === 0);

      // Somebody else has the port by now.
      const taker = createServer();
      await new Promise<void>((resolve) => taker.listen(port, '127.0.0.1', resolve));
      const fourth = await run(['--data', data]);
      expect(fourth.code).toBe(1);
      expect(fourth.output).toContain(`Port ${port}, which this data folder has used so far, is taken`);
      expect(fourth.output).not.toContain('    at ');

      // On another port everybody is who they were.
      const elsewhere = await freePort();
      const collector = await startCollector();
      const fifth = await start(['--data', data, '--port', String(elsewhere)], {
        env: { GPUAAS_OTLP_ENDPOINT: collector.url },
      });
      expect(fifth.fact('URL')).toBe(`http://127.0.0.1:${elsewhere}`);
      expect((await signInAs(fifth, 'owner')).slugs).toEqual(['acknowledged', 'demo']);
      expect(await signInAs(fifth, 'operator')).toMatchObject({ platformRoles: ['platform_superadmin'] });
      await survivesItsDatabase(fifth, data);
      expect(await fifth.kill('SIGINT')).toBe(0);
      expect(collector.spans().map(({ name }) => name)).toContain('POST /api/v1/organizations');
      await collector.close();
      await new Promise((resolve) => taker.close(resolve));
      await eventually(async () => processesOn(data).length === 0);
    },
    patience,
  );

  it(
    'runs as a user without rights, keeps nothing when told so, and each process alone with --split',
    async () => {
      const home = join(folder, 'home');
      await mkdir(home);
      const who = asRoot ? { uid: nobody } : {};
      if (asRoot) await chown(home, nobody, nobody);
      const port = await freePort();
      const started = await start(['--ephemeral', '--split', '--port', String(port)], {
        ...who,
        env: { HOME: home, TMPDIR: home },
      });
      const data = started.fact('Data').replace(' (removed at the end)', '');
      expect(data.startsWith(home)).toBe(true);
      expect((await signInAs(started, 'member')).slugs).toEqual(['demo']);
      const apart = childrenOf(started.pid).filter(({ command }) => command.endsWith('/main.ts'));
      const names = apart.map(({ command }) => /bin\/([a-z-]+)\/main\.ts/.exec(command)?.[1] ?? command).sort();
      expect(names).toEqual(processes.map(({ spec }) => spec.name).sort());
      // Secrets come through files of their owner alone; an environment is seen by other programs of the same user.
      for (const { pid, command } of apart) {
        const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
        // Gateways and the proxy of apps stand where browsers or nodes reach them, and know no database.
        const isOutside = /(?:-gateway|app-proxy)\/main/.test(command);
        expect(environment.includes('GPUAAS_DATABASE_URL_FILE='), command).toBe(!isOutside);
        expect(environment, command).not.toMatch(/GPUAAS_(?:[A-Z]+_URL=postgres|SECRETS_KEY=|SIMULATOR_ADDRESS=)/);
      }
      expect(await started.kill('SIGTERM')).toBe(0);
      for (const { pid } of apart) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      await expect(readFile(join(data, 'port'))).rejects.toThrow('ENOENT');
      expect(processesOn(data)).toEqual([]);

      // Under a parent that is closed to this user.
      const closed = join(folder, 'closed');
      await mkdir(closed, { mode: 0o700 });
      if (!asRoot) await chmod(closed, 0o500);
      const refused = await run(['--data', join(closed, 'data')], { ...who, env: { HOME: home } });
      expect(refused.code).toBe(1);
      expect(refused.output).toContain('cannot be used: this user may not write there');
      expect(refused.output).not.toContain('    at ');

      const file = join(folder, 'file');
      await writeFile(file, '');
      const blocked = await run(['--data', join(file, 'data')]);
      expect(blocked.output).toContain('there is a file of that name on the way');
    },
    patience,
  );
});
