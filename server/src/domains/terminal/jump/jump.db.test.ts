import { generateKeyPairSync } from 'node:crypto';
import { ed25519, ed25519Blob, keyLine } from '@gpuaas/contract/ssh';
import type { TerminalInternalInput } from '@gpuaas/contract/terminal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import {
  asSystem,
  jumpHostOfWorlds,
  keyringOfWorlds,
  openWorld,
  type Tenant,
  type World,
} from '../../../testing/world.ts';
import { makeTerminalGuard } from '../guard.ts';
import { sealedSshKeys } from '../platform-keys/keys.ts';
import { copyOne, openTerminalScene, type TerminalScene } from '../testing.ts';

let world: World;
let home: Tenant;
let scene: TerminalScene;
let ada: string;
let machine: string;
let key: { readonly id: string; readonly fingerprint: string };
const call = { correlationId: 'a test' };

const makeLine = () => {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  return keyLine(ed25519, ed25519Blob(Buffer.from(x, 'base64url')));
};
async function addKey(as: string, line = makeLine()): Promise<typeof key> {
  const { status, body, text } = await world.call('POST', '/api/v1/me/ssh-keys', {
    ...{ as, key: systemIds.next(), body: { public_key: line } },
  });
  expect(status, text).toBe(201);
  return body;
}
const open = (wish: Partial<TerminalInternalInput<'jump_open'>> = {}, of: World = world) =>
  of.terminal.jump_open(
    { fingerprint: key.fingerprint, address: '192.0.2.9', target: machine, port: 22, ...copyOne, ...wish },
    call,
  );
const refusal = async (wish: Partial<TerminalInternalInput<'jump_open'>>, of?: World) =>
  ((await open(wish, of)) as Fault).code;
const nameOf = async (id: string, name: string) =>
  asSystem(world.root, 'update allocations set name = $2, version = version + 1 where id = $1', [id, name]);
const stateOf = async (id: string) =>
  (await world.root.query('select state, end_reason from terminal_sessions where id = $1', [id])).rows[0];

beforeAll(async () => {
  world = await openWorld();
  home = await world.found('home');
  scene = openTerminalScene(world, home);
  ada = await world.join('ada', home, 'member');
  machine = await scene.machineOf('ada');
  await nameOf(machine, 'Trainer');
  key = await addKey(ada);
});
afterAll(() => world.close());

describe('the jump host', () => {
  it('is the same for everybody and for every start: its address and its host key are known beforehand', async () => {
    const { status, body } = await world.call('GET', '/api/v1/ssh/jump-host', { as: ada });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...jumpHostOfWorlds, username: 'jump' });
    expect(body.known_hosts).toEqual([`[jump.gpuaas.test]:2222 ${body.host_keys[0]}`]);
    const beside = await openWorld({ beside: world });
    expect((await beside.call('GET', '/api/v1/ssh/jump-host', { as: ada })).body).toEqual(body);
    await beside.close();
    const sealed = (await world.root.query('select sealed_private_key from ssh_platform_keys')).rows[0];
    expect(sealed.sealed_private_key.toString('latin1')).not.toContain('PRIVATE KEY');
    expect(await world.terminal.jump_keys({}, call)).toMatchObject({ private_key: expect.stringContaining('OPENSSH') });
    const seal = keyringOfWorlds.seal('ssh');
    const values = sealedSshKeys({
      db: world.database.database,
      ids: systemIds,
      begin: actsOf('secrets', systemIds),
      seal,
    });
    expect(await values.counts()).toEqual([{ keyId: 'test', values: 2 }]);
  });

  it('knows the keys that people have registered, and not those of people who are disabled', async () => {
    const admit = async (fingerprint: string) => world.terminal.jump_admit({ fingerprint, address: '192.0.2.9' }, call);
    expect(await admit(key.fingerprint)).toEqual({ known: true });
    expect(await admit(`SHA256:${'A'.repeat(43)}`)).toEqual({ known: false });
    const eve = await world.join('eve', home, 'member');
    const hers = await addKey(eve);
    await asSystem(world.root, 'update users set disabled_at = now() where id = $1', [await scene.idOf('eve')]);
    expect(await admit(hers.fingerprint)).toEqual({ known: false });
  });

  it('opens a session of kind ssh by id, alias or name, and the audit log names the key and the person', async () => {
    for (const target of [machine, `gpuaas-${machine}`, 'trainer']) {
      expect(await open({ target })).toMatchObject({
        session: { kind: 'ssh', allocation_id: machine },
        role: 'writer',
      });
    }
    const { body } = await scene.sessions(ada, machine);
    expect(body.data[0]).toMatchObject({ kind: 'ssh', ssh_key_id: key.id, user_id: await scene.idOf('ada') });
    const { rows } = await world.root.query(
      `select change from audit_logs where action = 'terminal_session.jump' and target_id = $1`,
      [body.data[0].id],
    );
    expect(rows[0].change).toMatchObject({ ssh_key_id: key.id, allocation_id: machine });
    const task = await world.root.query(
      `select envelope -> 'params' as params from node_tasks where task_type = 'terminal.open' order by id desc limit 1`,
    );
    expect(task.rows[0].params).toMatchObject({ stream: { kind: 'ssh' }, grace_seconds: 0 });
  });

  it('refuses other ports, unknown names, and machines of other people and tenants, as if they were not there', async () => {
    expect(await refusal({ port: 80 })).toBe('terminal_port_refused');
    expect(await refusal({ target: 'nothing' })).toBe('allocation_not_found');
    const ben = await world.join('ben', home, 'member');
    const hers = await addKey(ben);
    expect(await refusal({ fingerprint: hers.fingerprint })).toBe('allocation_not_found');
    const away = await world.found('away');
    const theirs = await addKey(away.token);
    expect(await refusal({ fingerprint: theirs.fingerprint })).toBe('allocation_not_found');
    const waiting = await scene.machineOf('ada', 'provisioning');
    expect(await refusal({ target: waiting })).toBe('allocation_not_active');
  });

  it('takes a public key that another person registered too for the person who may enter', async () => {
    const line = makeLine();
    const eva = await world.join('eva', home, 'member');
    const fay = await world.join('fay', home, 'member');
    const ofEva = await addKey(eva, line);
    const ofFay = await addKey(fay, line);
    const [one, other] = [await scene.machineOf('eva'), await scene.machineOf('fay')];
    const { fingerprint } = ofEva;
    expect(await open({ fingerprint, target: one })).toMatchObject({ session: { user_id: await scene.idOf('eva') } });
    expect(await open({ fingerprint, target: other })).toMatchObject({ session: { user_id: await scene.idOf('fay') } });
    await nameOf(one, 'twin');
    await nameOf(other, 'twin');
    expect(await refusal({ fingerprint, target: 'twin' })).toBe('validation_error');
    expect(ofFay.id).not.toBe(ofEva.id);
    // Who has proven to hold the key is its person; who only knows the public half is not.
    await asSystem(world.root, 'update ssh_keys set proven_at = now() where id = $1', [ofEva.id]);
    expect(await open({ fingerprint, target: 'twin' })).toMatchObject({
      session: { user_id: await scene.idOf('eva') },
    });
    expect(await refusal({ fingerprint, target: other })).toBe('allocation_not_found');
  });

  it('refuses where sessions have to be recorded, with the reason', async () => {
    const recorded = await openWorld({ beside: world, policies: { 'terminal.recording': 'output' } });
    const refused = (await open({}, recorded)) as Fault;
    expect(refused.code).toBe('terminal_recording_required');
    expect(refused.message).toMatch(/are recorded/);
    await recorded.close();
  });

  it('counts against the limits of sessions', async () => {
    const narrow = await openWorld({ beside: world, policies: { 'terminal.sessions_per_user': 1 } });
    expect(await refusal({}, narrow)).toBe('terminal_session_limit');
    await narrow.close();
  });

  it('ends what a key opened when the key is removed, and opens nothing with it again', async () => {
    const second = await addKey(ada);
    const opened = async (fingerprint: string) => {
      const answer = (await open({ fingerprint })) as { session: { id: string } };
      await scene.arrive(answer.session.id, machine);
      return answer.session.id;
    };
    const [gone, stays] = [await opened(second.fingerprint), await opened(key.fingerprint)];
    const guard = makeTerminalGuard({
      ...{ db: world.database.database, begin: actsOf('terminal-guard', systemIds), ids: systemIds },
      ...{ clock: systemClock, log: silentLog, metrics: makeMetrics('test', '0') },
    });
    await guard.round(new AbortController().signal);
    expect(await stateOf(gone)).toMatchObject({ state: 'open' });
    await world.call('DELETE', `/api/v1/me/ssh-keys/${second.id}`, { as: ada, key: systemIds.next() });
    await guard.round(new AbortController().signal);
    expect(await stateOf(gone)).toEqual({ state: 'ended', end_reason: 'rights_lost' });
    expect(await stateOf(stays)).toMatchObject({ state: 'open' });
    expect(await refusal({ fingerprint: second.fingerprint })).toBe('allocation_not_found');
  });

  it('ends what a member opened when the member is removed', async () => {
    const dan = await world.join('dan', home, 'member');
    const his = await addKey(dan);
    const target = await scene.machineOf('dan');
    const answer = (await open({ fingerprint: his.fingerprint, target })) as { session: { id: string } };
    await scene.arrive(answer.session.id, target);
    await scene.removeMember('dan');
    const guard = makeTerminalGuard({
      ...{ db: world.database.database, begin: actsOf('terminal-guard', systemIds), ids: systemIds },
      ...{ clock: systemClock, log: silentLog, metrics: makeMetrics('test', '0') },
    });
    await guard.round(new AbortController().signal);
    expect(await stateOf(answer.session.id)).toEqual({ state: 'ended', end_reason: 'rights_lost' });
    expect(await refusal({ fingerprint: his.fingerprint, target })).toBe('allocation_not_found');
  });
});
