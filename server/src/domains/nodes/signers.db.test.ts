import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type World } from '../../testing/world.ts';
import { isObeyed, type NodesWorld, openNodesWorld } from './testing.ts';

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

  it('are announced before they sign, and obeyed for a while after [SEC-02]', async () => {
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
    const active = (await listed()).find(({ state }) => state === 'active')?.id ?? '';
    expect((await post(`${path}/${active}/revoke`)).body).toMatchObject({ state: 'revoked' });
    const after = (await listed()).filter(({ state }) => state === 'active');
    expect(after).toHaveLength(1);
    expect(after[0]?.id).not.toBe(active);
    expect((await post(`${path}/${active}/revoke`)).status).toBe(409);
    expect((await post(`${path}/${systemIds.next()}/revoke`)).status).toBe(404);
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
