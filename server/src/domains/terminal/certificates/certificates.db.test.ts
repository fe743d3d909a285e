import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readCertificate, readKeyLine } from '@gpuaas/contract/ssh';
import type { TerminalInternalInput } from '@gpuaas/contract/terminal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../edge/terminal/jump/proof.ts';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { makeTerminalGuard } from '../guard.ts';
import { copyOne, openTerminalScene, type TerminalScene } from '../testing.ts';

const run = promisify(execFile);
const call = { correlationId: 'a test' };
let world: World;
let home: Tenant;
let scene: TerminalScene;
let folder: string;
let ada: string;
let machine: string;
let operator: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-certificates-'));
  world = await openWorld();
  home = await world.found('home');
  scene = openTerminalScene(world, home);
  ada = await world.join('ada', home, 'member');
  operator = await world.operator();
  machine = await scene.machineOf('ada');
  await scene.certificateOf(await scene.nodeOf(machine));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

const write = (method: string, path: string, as: string, body?: object) =>
  world.call(method, path, { as, key: systemIds.next(), ...(body && { body }) });
const certificates = (id = machine) => `/api/v1/allocations/${id}/ssh-certificates`;
async function makeKey(name: string, type = 'ed25519'): Promise<string> {
  await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', '', '-f', join(folder, name)]);
  return readFile(join(folder, `${name}.pub`), 'utf8');
}
const shownAs = (line: string) => fingerprintOf(Buffer.from(readKeyLine(line)?.blob ?? []));
const open = (fingerprint: string, wish: Partial<TerminalInternalInput<'jump_open'>> = {}) =>
  world.terminal.jump_open({ fingerprint, address: '192.0.2.9', target: machine, port: 22, ...copyOne, ...wish }, call);
const admit = (fingerprint: string) => world.terminal.jump_admit({ fingerprint, address: '192.0.2.9' }, call);
const guard = () =>
  makeTerminalGuard({
    ...{ db: world.database.database, begin: actsOf('terminal-guard', systemIds), ids: systemIds, clock: systemClock },
    ...{ log: silentLog, metrics: makeMetrics('test', '0.0.0') },
  }).round(new AbortController().signal);
async function sign(as: string, publicKey: string, wish: object = {}) {
  const signed = await write('POST', certificates(), as, { public_key: publicKey, ...wish });
  expect(signed.status, signed.text).toBe(201);
  return signed.body;
}

describe('an SSH certificate', () => {
  it.each(['ed25519', 'ecdsa'])(
    'of a key of type %s is one that OpenSSH reads: for one allocation, for some minutes',
    async (type) => {
      const body = await sign(ada, await makeKey(`of-${type}`, type), { seconds: 120 });
      await writeFile(join(folder, `of-${type}-cert.pub`), `${body.certificate}\n`);
      const { stdout } = await run('ssh-keygen', ['-L', '-f', join(folder, `of-${type}-cert.pub`)]);
      expect(stdout).toMatch(/user certificate/);
      expect(stdout).toContain(`gpuaas-${machine}`);
      expect(stdout).toContain(`Serial: ${body.serial}`);
      expect(stdout).toMatch(/Critical Options: \(none\)/);
      expect(stdout).toContain('permit-pty');
      const { validAfter, validBefore, principals } =
        readCertificate(readKeyLine(body.certificate)?.blob ?? Buffer.of()) ?? {};
      expect(principals).toEqual([`gpuaas-${machine}`]);
      expect(Number(validBefore) - Number(validAfter)).toBe(180);
      const { rows } = await world.root.query(
        `select change, actor_id from audit_logs where action = 'ssh_certificate.sign' and target_id = $1`,
        [body.id],
      );
      expect(rows[0].change).toMatchObject({ allocation_id: machine, serial: body.serial });
    },
  );

  it('lives no longer than policy says, and RSA keys and bad keys get none', async () => {
    const body = await sign(ada, await makeKey('long'), { seconds: 3_600 });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeLessThanOrEqual(601_000);
    const rsa = await write('POST', certificates(), ada, { public_key: await makeKey('rsa', 'rsa') });
    expect(rsa.body).toMatchObject({ code: 'ssh_key_invalid', message: expect.stringContaining('ed25519') });
    expect((await write('POST', certificates(), ada, { public_key: 'ssh-ed25519 AAAA' })).body.code).toBe(
      'ssh_key_invalid',
    );
  });

  it('is signed for people who may work in the allocation, and for nobody else', async () => {
    const publicKey = await makeKey('others');
    const colleague = await world.join('colleague', home, 'member');
    const away = await world.found('away');
    expect((await write('POST', certificates(), colleague, { public_key: publicKey })).body.code).toBe(
      'ownership_required',
    );
    expect((await write('POST', certificates(), away.token, { public_key: publicKey })).body.code).toBe(
      'allocation_not_found',
    );
    expect((await write('POST', certificates(), home.token, { public_key: publicKey })).status).toBe(201);
  });

  it('opens its allocation at the jump host by id and name, and no other one', async () => {
    const { certificate, id } = await sign(ada, await makeKey('jumps'));
    const other = await scene.machineOf('ada');
    expect(await admit(shownAs(certificate))).toEqual({ known: true });
    expect(await open(shownAs(certificate))).toMatchObject({ session: { allocation_id: machine, kind: 'ssh' } });
    expect(((await open(shownAs(certificate), { target: other })) as Fault).code).toBe('allocation_not_found');
    const { body } = await scene.sessions(ada, machine);
    expect(body.data[0]).toMatchObject({ ssh_certificate_id: id, ssh_key_id: null, user_id: await scene.idOf('ada') });
    expect(await admit(shownAs(await makeKey('unknown')))).toEqual({ known: false });
  });

  it('that was revoked or has expired is refused, and what it opened ends', async () => {
    const signed = await sign(ada, await makeKey('revoked'));
    const opened = (await open(shownAs(signed.certificate))) as { session: { id: string } };
    await guard();
    const stateOf = async () =>
      (await world.root.query('select end_reason from terminal_sessions where id = $1', [opened.session.id])).rows[0];
    expect(await stateOf()).toEqual({ end_reason: null });
    const colleague = await world.join('another', home, 'member');
    expect((await write('DELETE', `${certificates()}/${signed.id}`, colleague)).body.code).toBe('ownership_required');
    const revoked = await write('DELETE', `${certificates()}/${signed.id}`, ada);
    expect(revoked.body.revoked_at).not.toBeNull();
    await guard();
    expect(await stateOf()).toEqual({ end_reason: 'rights_lost' });
    expect(await admit(shownAs(signed.certificate))).toEqual({ known: false });
    const late = await sign(ada, await makeKey('late'));
    await asSystem(
      world.root,
      `update ssh_certificates set created_at = now() - interval '1 hour', expires_at = now() where id = $1`,
      [late.id],
    );
    expect(await admit(shownAs(late.certificate))).toEqual({ known: false });
    const listed = (await world.call('GET', certificates(), { as: ada })).body.data as { id: string }[];
    expect(listed.map(({ id }) => id)).toContain(signed.id);
  });

  it('ends with the sign-ins of its person, and what it opened afterwards ends, too', async () => {
    const signed = await sign(ada, await makeKey('signed-out'));
    expect(await admit(shownAs(signed.certificate))).toEqual({ known: true });
    const opened = (await open(shownAs(signed.certificate))) as { session: { id: string } };
    await asSystem(
      world.root,
      `insert into sign_in_floors (user_id, not_before, reason, updated_at)
       select user_id, created_at, 'a test', now() from ssh_certificates where id = $1`,
      [signed.id],
    );
    expect(await admit(shownAs(signed.certificate))).toEqual({ known: false });
    await guard();
    const { rows } = await world.root.query('select end_reason from terminal_sessions where id = $1', [
      opened.session.id,
    ]);
    expect(rows).toEqual([{ end_reason: 'rights_lost' }]);
    await asSystem(world.root, 'delete from sign_in_floors', []);
  });
});

describe('a machine that is stopped for lack of money', () => {
  it('gives no terminal, no certificate and no way through the jump host until it runs again', async () => {
    const known = await sign(ada, await makeKey('while-stopped'));
    const publicKey = await makeKey('when-stopped');
    const ways = async () => [
      (
        await write('POST', `/api/v1/allocations/${machine}/terminal-token`, ada, {
          mode: 'open',
          columns: 80,
          rows: 24,
        })
      ).body.code,
      (await write('POST', certificates(), ada, { public_key: publicKey })).body.code,
      ((await open(shownAs(known.certificate))) as { code?: string }).code,
    ];
    const become = (phase: string | null) =>
      asSystem(
        world.root,
        `update allocations set stop_phase = $2, stop_since = case when $2::text is not null then now() end, version = version + 1
         where id = $1`,
        [machine, phase],
      );
    for (const phase of ['stopping', 'stopped', 'starting']) {
      await become(phase);
      expect(await ways(), phase).toEqual(Array(3).fill('allocation_not_active'));
    }
    await become(null);
    expect(await ways()).toEqual([undefined, undefined, undefined]);
  });
});

describe('the keys of the platform in SSH', () => {
  const keys = '/api/v1/admin/ssh-platform-keys';
  const change = (kind: string, what: string) =>
    write('POST', `${keys}/${kind}/${what}`, operator, { reason: 'a test of rotation' });
  const known = async () => (await world.call('GET', '/api/v1/ssh/jump-host', { as: ada })).body.host_keys as string[];

  it('are announced before they are used: clients know the next host key of the jump host beforehand', async () => {
    const [before] = await known();
    expect((await change('jump_host', 'switch')).body.code).toBe('illegal_transition');
    const announced = await change('jump_host', 'announce');
    expect(announced.body, announced.text).toMatchObject({ state: 'announced', number: 2 });
    expect((await change('jump_host', 'announce')).body.code).toBe('illegal_transition');
    expect(await known()).toEqual([before, announced.body.public_key]);
    const old = (await world.terminal.jump_keys({}, call)) as { private_key: string };
    expect((await change('jump_host', 'switch')).body).toMatchObject({ state: 'current', number: 2 });
    expect(await known()).toEqual([announced.body.public_key, before]);
    const now = (await world.terminal.jump_keys({}, call)) as { private_key: string };
    expect(now.private_key).not.toBe(old.private_key);
    await asSystem(
      world.root,
      `update ssh_platform_keys set retired_at = now() - interval '2 hours', used_from = now() - interval '3 hours' where kind = 'jump_host' and number = 1`,
      [],
    );
    expect(await known()).toEqual([announced.body.public_key]);
  });

  it('sign certificates with the current authority, and machines trust the one before while its certificates live', async () => {
    const trusted = async () => (await world.root.query('select ssh_trusted_authorities() as keys')).rows[0].keys;
    const [first] = await trusted();
    const announced = (await change('user_authority', 'announce')).body.public_key;
    const authorityOf = async (name: string) => {
      const { certificate } = await sign(ada, await makeKey(name));
      const { authority } = readCertificate(readKeyLine(certificate)?.blob ?? Buffer.of()) ?? {};
      return Buffer.from(authority ?? []).toString('base64');
    };
    expect(`ssh-ed25519 ${await authorityOf('before')}`).toBe(first);
    await change('user_authority', 'switch');
    expect(`ssh-ed25519 ${await authorityOf('after')}`).toBe(announced);
    expect(await trusted()).toEqual([first, announced]);
    const { data } = (await world.call('GET', keys, { as: operator })).body;
    expect(data.map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`)).toContain(
      'user_authority retired',
    );
  });

  it('are changed by operators alone', async () => {
    expect((await write('POST', `${keys}/jump_host/announce`, ada, { reason: 'a try' })).status).toBe(403);
  });
});
