import { createPublicKey, verify } from 'node:crypto';
import { endorsementText, statementText } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { asSystem, keyringOfWorlds, openWorld, type World } from '../../../testing/world.ts';
import { isObeyed, type NodesWorld, openNodesWorld } from '../testing.ts';
import { openTaskSigners } from './signers.ts';

const path = '/api/v1/admin/task-signers';

describe('keys that sign tasks', () => {
  let nodes: NodesWorld;
  let api: World;
  let operator: string;
  beforeAll(async () => {
    nodes = await openNodesWorld();
    api = await openWorld({ clock: nodes.clock });
    operator = await api.operator();
  });
  afterAll(async () => {
    await api.close();
    await nodes.close();
  });
  const post = (where: string) =>
    api.call('POST', where, { as: operator, key: systemIds.next(), body: { reason: 'a test' } });
  const task = () => {
    const at = nodes.clock.now().toISOString();
    const ids = { task_id: systemIds.next(), node_id: systemIds.next() };
    return { ...ids, task_type: 'node.drain' as const, generation: 1, issued_at: at, expires_at: at, params: {} };
  };
  const listed = async () =>
    (await api.call('GET', path, { as: operator })).body.data as { id: string; state: string }[];
  const stateOf = async (id: string) => (await listed()).find((signer) => signer.id === id)?.state;

  it('are announced before they sign, and obeyed for a while after', async () => {
    const old = nodes.signers.sign(task());
    expect(isObeyed(old, nodes.signers.accepted())).toBe(true);
    const first = (await listed())[0]?.id ?? '';
    const made = await post(path);
    expect(made).toMatchObject({ status: 201, body: { state: 'staged' } });
    expect((await post(path)).status).toBe(409);
    expect(await stateOf(first)).toBe('active');
    expect(await stateOf(made.body.id)).toBe('staged');
    expect((await post(`${path}/${first}/retire`)).body).toMatchObject({ code: 'illegal_transition' });
  });

  it('are shown without their private halves', async () => {
    const { text } = await api.call('GET', path, { as: operator });
    expect(text).not.toMatch(/private|sealed/);
  });

  it('that are revoked while they sign get a successor at once', async () => {
    // The first time a key is announced already and takes over, the second time one is made.
    let active = '';
    for (let time = 0; time < 2; time += 1) {
      active = (await listed()).find(({ state }) => state === 'active')?.id ?? '';
      expect((await post(`${path}/${active}/revoke`)).body).toMatchObject({ state: 'revoked' });
      const after = (await listed()).filter(({ state }) => state === 'active');
      expect(after).toHaveLength(1);
      expect(after[0]?.id).not.toBe(active);
    }
    expect((await post(`${path}/${active}/revoke`)).status).toBe(409);
    expect((await post(`${path}/${systemIds.next()}/revoke`)).status).toBe(404);
  });

  it('are vouched for by the one before, also by one that is revoked, and nodes hear of both', async () => {
    const { rows } = await api.root.query(
      `select id, public_key, state, endorsed_by, endorsement from task_signers order by published_at, id`,
    );
    const keys = new Map(rows.map((row) => [row.id as string, row]));
    const [first, ...others] = rows;
    expect(first).toMatchObject({ endorsed_by: null, endorsement: null });
    expect(others.length).toBeGreaterThan(1);
    for (const { id, public_key, endorsed_by, endorsement } of others) {
      const before = keys.get(endorsed_by);
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: before?.public_key }, format: 'jwk' });
      const text = endorsementText({ signer_version_id: id, public_key, endorsed_by });
      expect(verify(null, Buffer.from(text), key, Buffer.from(endorsement, 'base64url'))).toBe(true);
    }
  });

  it('are announced to nodes with those that lead to them', async () => {
    const signers = await openTaskSigners({
      ...{ db: api.database.database, begin: nodes.begin, ids: systemIds, clock: nodes.clock, log: silentLog },
      ...{ seal: undefined, overlapSeconds: () => 1, graceHours: () => 1, listen: api.database.listen },
    });
    const announced = signers.announced().signers;
    const ids = announced.map(({ signer_version_id }) => signer_version_id);
    expect(signers.accepted().every(({ signer_version_id }) => ids.includes(signer_version_id))).toBe(true);
    expect(announced.map(({ state }) => state)).toContain('revoked');
    for (const { endorsed_by } of announced) if (endorsed_by !== undefined) expect(ids).toContain(endorsed_by);
    await signers.close();
  });

  it('are stated by the active key, each with its state, and the number of the list grows', async () => {
    const opened = await openTaskSigners({
      ...{ db: api.database.database, begin: nodes.begin, ids: systemIds, clock: nodes.clock, log: silentLog },
      ...{
        seal: keyringOfWorlds.seal('task-signers'),
        overlapSeconds: () => 1,
        graceHours: () => 1,
        listen: api.database.listen,
      },
    });
    const { signers, signers_statement: statement } = opened.announced();
    const voice = signers.find(({ state }) => state === 'active');
    expect(statement?.stated_by).toBe(voice?.signer_version_id);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: voice?.public_key ?? '' }, format: 'jwk' });
    const { stated_by = '', sequence = 0, signature = '' } = statement ?? {};
    const holds = (list: typeof signers) =>
      verify(
        null,
        Buffer.from(statementText({ signers: list, stated_by, sequence })),
        key,
        Buffer.from(signature, 'base64url'),
      );
    expect(holds(signers)).toBe(true);
    expect(holds(signers.map((one) => (one.state === 'revoked' ? { ...one, state: 'active' as const } : one)))).toBe(
      false,
    );
    await opened.close();
    expect((await post(path)).status).toBe(201);
    const later = await openTaskSigners({
      ...{ db: api.database.database, begin: nodes.begin, ids: systemIds, clock: nodes.clock, log: silentLog },
      ...{
        seal: keyringOfWorlds.seal('task-signers'),
        overlapSeconds: () => 1,
        graceHours: () => 1,
        listen: api.database.listen,
      },
    });
    expect(later.announced().signers_statement?.sequence).toBeGreaterThan(sequence);
    await later.close();
  });

  it('that are announced take over when the active one is revoked: nodes follow one line of keys', async () => {
    const there = await listed();
    const active = there.find(({ state }) => state === 'active')?.id ?? '';
    const staged = there.find(({ state }) => state === 'staged')?.id ?? '';
    expect((await post(`${path}/${active}/revoke`)).status).toBe(200);
    expect(await stateOf(staged)).toBe('active');
    expect((await listed()).filter(({ state }) => state === 'staged')).toEqual([]);
  });

  it('take over when they were announced long enough, and retire when their grace is over', async () => {
    const { rows } = await nodes.root.query(`select id from task_signers where state = 'active'`);
    const before = nodes.signers.sign(task());
    await asSystem(
      nodes.root,
      `insert into task_signers (id, public_key, sealed_private_key, effective_at)
       select $1, $2, sealed_private_key, $3 from task_signers where state = 'active'`,
      [systemIds.next(), 'B'.repeat(43), new Date(nodes.clock.now().getTime() + 120_000)],
    );
    expect(await nodes.signers.ageing.round(new AbortController().signal)).toBe('idle');
    await nodes.clock.advance(121_000);
    expect(await nodes.signers.ageing.round(new AbortController().signal)).toBe('more');
    const states = async () =>
      Object.fromEntries(
        (await nodes.root.query('select id, state from task_signers')).rows.map(({ id, state }) => [id, state]),
      );
    expect((await states())[rows[0].id]).toBe('grace');
    expect(isObeyed(before, nodes.signers.accepted())).toBe(true);
    await nodes.clock.advance(25 * 3_600_000);
    await nodes.signers.ageing.round(new AbortController().signal);
    expect((await states())[rows[0].id]).toBe('retired');
  });
});
