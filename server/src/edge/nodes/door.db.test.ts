import { createPublicKey, X509Certificate } from 'node:crypto';
import { request as plainRequest } from 'node:http';
import { connect } from 'node:net';
import type { NodeTask } from '@gpuaas/contract/node';
import { knownTasksHeader, nodeCommonName, nodeSpiffeId } from '@gpuaas/contract/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeNode } from '../../domains/nodes/index.ts';
import { systemIds } from '../../kernel/id.ts';
import { makeIssuer } from '../../ports/certificates/issuing.ts';
import { makeRequest } from '../../ports/certificates/request.ts';
import {
  agentOf,
  anyResultKey,
  enrolAgent,
  enrolmentOf,
  makeNodeClient,
  rawKey,
  signedWith,
  type TestAgent,
} from '../../testing/node-client.ts';
import { type DoorWorld, openDoorWorld } from './testing.ts';

const healthy = { output: { checks: {}, healthy: true } };

describe('the door of nodes', () => {
  let world: DoorWorld;
  let here: { port: number; roots: string };
  const open: TestAgent[] = [];
  beforeAll(async () => {
    world = await openDoorWorld();
    here = { port: world.door.port, roots: world.roots };
  });
  afterAll(async () => {
    for (const { client } of open) client.close();
    await world.close();
  });
  const newAgent = async (): Promise<TestAgent> => {
    const agent = await world.agent();
    open.push(agent);
    return agent;
  };
  const column = async (text: string, values: unknown[]) => (await world.root.query(text, values)).rows[0]?.value;
  const stateOf = (id: string) => column('select state as value from nodes where id = $1', [id]);
  const taskState = (id: string) => column('select state as value from node_tasks where id = $1', [id]);
  async function revoke(nodeId: string): Promise<void> {
    await world.database.database.write(world.begin('test.revoke', { correlationId: 'c' }), async (tx) => {
      await revokeNode(tx, nodeId, 'a test');
      return tx.commit(undefined, { target: { type: 'node', id: nodeId }, events: 'none' });
    });
  }

  it('gives a certificate for a token, once, and nothing but the node’s own names', async () => {
    const { nodeId, token } = await world.token();
    const { enrolled, agent } = await enrolAgent(here, token);
    open.push(agent);
    expect(enrolled).toMatchObject({ node_id: nodeId, heartbeat_seconds: 15 });
    expect(enrolled.signers.length).toBeGreaterThan(0);
    const leaf = new X509Certificate(enrolled.certificate);
    expect(leaf.subjectAltName).toBe(`URI:${nodeSpiffeId(nodeId)}`);
    expect(await stateOf(nodeId)).toBe('enrolling');
    const again = await makeNodeClient(here).enrol(token);
    expect(again).toMatchObject({ status: 401, body: { code: 'node_token_invalid' } });
  });

  it('lets one of many in who bring the same token at once', async () => {
    const { token } = await world.token();
    const client = makeNodeClient(here);
    const replies = await Promise.all(Array.from({ length: 8 }, () => client.enrol(token)));
    client.close();
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 401)).toHaveLength(7);
  });

  it('refuses tokens that are late, unknown, malformed, or of a node that is gone', async () => {
    const client = makeNodeClient(here);
    const late = await world.token({ expires: '-1 minute' });
    for (const token of [late.token, `gpuaas_node_${systemIds.secret(24)}`, 'x'.repeat(200)]) {
      expect((await client.enrol(token)).status).toBe(401);
    }
    expect((await client.enrol('short')).status).toBe(400);
    const { token } = await world.token();
    const { pem } = await makeRequest(undefined);
    const body = {
      token,
      csr: pem.replaceAll('A', 'B'),
      result_key: 'A'.repeat(43),
      agent_version: '1',
      boot_id: systemIds.next(),
    };
    expect((await client.call('POST', '/internal/v1/nodes/enrol', { body })).body.code).toBe('node_csr_invalid');
    // A request that was refused has not spent the token.
    expect((await client.enrol(token)).status).toBe(200);
    client.close();
  });

  it('takes nobody’s word for being a node: no certificate, a foreign one, or one that says something else', async () => {
    const [agent, other] = [await newAgent(), await newAgent()];
    const uri = (id: string) => ({ type: 'url' as const, value: nodeSpiffeId(id) });
    const life = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const names = { commonName: nodeCommonName(agent.nodeId), names: [uri(agent.nodeId)] };
    const forgeries = {
      none: undefined,
      'the right name, a wrong URI': await world.forge({ ...names, names: [uri(other.nodeId)] }),
      'the right URI, a wrong name': await world.forge({ ...names, commonName: nodeCommonName(other.nodeId) }),
      'two URIs': await world.forge({ ...names, names: [uri(agent.nodeId), uri(other.nodeId)] }),
      'a DNS name': await world.forge({ ...names, names: [{ type: 'dns', value: nodeCommonName(agent.nodeId) }] }),
      'a name with more to it': await world.forge({
        ...names,
        names: [{ type: 'url', value: `${nodeSpiffeId(agent.nodeId)}/x` }],
      }),
      'for servers': await world.forge({ ...names, use: 'server' }),
      expired: await world.forge({ ...names, expired: true }),
      'a foreign authority': await world.forge({ ...names, by: await makeIssuer('Evil', life) }),
    };
    for (const [name, identity] of Object.entries(forgeries)) {
      const client = makeNodeClient({ ...here, ...(identity && { identity }) });
      const reply = await client.call('GET', agent.path('tasks/wait')).catch(() => ({ status: 401 }));
      expect({ name, status: reply.status }).toEqual({ name, status: 401 });
      client.close();
    }
  });

  it('lets no node act for another', async () => {
    const [one, two] = [await newAgent(), await newAgent()];
    const id = await world.queue(two.nodeId);
    const task = (await two.wait()).body as NodeTask;
    expect(task.task_id).toBe(id);
    const good = two.result(task, healthy);
    const tries: [string, string, object | undefined][] = [
      ['GET', two.path('tasks/wait'), undefined],
      ['POST', two.path('heartbeat'), {}],
      ['POST', two.path('certificate'), {}],
      ['POST', two.path(`tasks/${id}/result`), good],
      ['POST', two.path(`tasks/${id}/progress`), {}],
    ];
    for (const [method, path, body] of tries) {
      const reply = await one.client.call(method, path, body ? { body } : {});
      expect(reply).toMatchObject({ status: 401, body: { code: 'node_certificate_invalid' } });
    }
    // Under its own name it has no such task either.
    const own = await one.client.call('POST', one.path(`tasks/${id}/result`), { body: good });
    expect(own).toMatchObject({ status: 404, body: { code: 'node_task_not_found' } });
    expect(await taskState(id)).toBe('dispatched');
    expect((await two.post(task, good)).status).toBe(204);
  });

  it('answers neither plain HTTP nor tokens of people', async () => {
    const agent = await newAgent();
    const client = makeNodeClient(here);
    const headers = { authorization: `Bearer ${'a'.repeat(40)}` };
    expect((await client.call('GET', agent.path('tasks/wait'), { headers })).status).toBe(401);
    client.close();
    const plain = new Promise((resolve, reject) => {
      plainRequest({ host: '127.0.0.1', port: here.port, path: agent.path('tasks/wait') }, resolve)
        .on('error', reject)
        .end();
    });
    await expect(plain).rejects.toThrow();
  });

  it('hands a task to a node that waits, the moment it is queued', async () => {
    const agent = await newAgent();
    const waiting = agent.wait();
    await expect.poll(() => world.metrics.scrape(), { timeout: 10_000 }).toMatch(/gpuaas_node_waiting\{[^}]*\} [1-9]/);
    const id = await world.queue(agent.nodeId);
    const reply = await waiting;
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ task_id: id, node_id: agent.nodeId });
    expect((await agent.post(reply.body, agent.result(reply.body, healthy))).status).toBe(204);
    expect(await taskState(id)).toBe('succeeded');
  });

  it('hands out what was queued before anybody asked, and ends an older question when a newer one comes', async () => {
    const agent = await newAgent();
    const second = agentOf(here, agent, agent.resultKey);
    open.push(second);
    const first = agent.wait();
    await expect.poll(() => world.metrics.scrape(), { timeout: 10_000 }).toMatch(/gpuaas_node_waiting\{[^}]*\} [1-9]/);
    const next = second.wait();
    expect((await first).status).toBe(204);
    const id = await world.queue(agent.nodeId);
    expect((await next).body.task_id).toBe(id);
  });

  it('hands a task out again at once whose answer got lost, to a node that says what it has', async () => {
    const agent = await newAgent();
    const id = await world.queue(agent.nodeId);
    expect((await agent.wait()).body).toMatchObject({ task_id: id });
    const asking = (known: string) =>
      agent.client.call('GET', agent.path('tasks/wait'), { headers: { [knownTasksHeader]: known } });
    expect((await asking(systemIds.next())).body).toMatchObject({ task_id: id });
    expect((await asking('')).body).toMatchObject({ task_id: id });
    // Who has it is not told again; the next one comes instead. A list that is none says nothing.
    for (const known of [id, `${id},' or 1=1`]) {
      const waiting = asking(known);
      const next = await world.queue(agent.nodeId);
      expect((await waiting).body).toMatchObject({ task_id: next });
      const task = (await world.root.query('select envelope from node_tasks where id = $1', [next])).rows[0].envelope;
      expect((await agent.post(task, agent.result(task, healthy))).status).toBe(204);
    }
  });

  it('takes a result twice as once, and refuses another one, an edited one and one without a key', async () => {
    const agent = await newAgent();
    const id = await world.queue(agent.nodeId);
    const task = (await agent.wait()).body as NodeTask;
    const good = agent.result(task, healthy);
    const edited = { ...good, output: { checks: {}, healthy: false } };
    expect(await agent.post(task, edited)).toMatchObject({ status: 422, body: { code: 'node_result_invalid' } });
    const stranger = agentOf(here, agent, anyResultKey().privateKey);
    expect((await stranger.post(task, stranger.result(task, healthy))).body.code).toBe('node_result_invalid');
    stranger.client.close();
    expect((await agent.post(task, agent.result(task, { ...healthy, generation: 7 }))).body.code).toBe(
      'stale_generation',
    );
    expect((await agent.post(task, good)).status).toBe(204);
    expect((await agent.post(task, good)).status).toBe(204);
    const other = agent.result(task, { outcome: 'failed', failure: { code: 'x', message: 'y' } });
    expect(await agent.post(task, other)).toMatchObject({ status: 409, body: { code: 'node_task_settled' } });
    expect(await taskState(id)).toBe('succeeded');
  });

  it('survives hostile bodies with a clear refusal, and nothing changes', async () => {
    const agent = await newAgent();
    const id = await world.queue(agent.nodeId);
    const task = (await agent.wait()).body as NodeTask;
    const path = agent.path(`tasks/${id}/result`);
    const good = JSON.stringify(agent.result(task, healthy));
    const raws = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '[['.repeat(20_000),
      good.replace('"healthy":true', '"healthy":"\\u0000"'),
      good.replace('"healthy":true', '"healthy":"\\ud800"'),
      good.replace('{', '{"__proto__":{"admin":true},'),
      good.replace('succeeded', 'SUCCEEDED'),
      `{"a":"${'x'.repeat(300_000)}"}`,
    ];
    for (const raw of raws) {
      const { status } = await agent.client.call('POST', path, { raw });
      expect({ raw: raw.slice(0, 60), refused: status >= 400 && status < 500 }).toEqual({
        raw: raw.slice(0, 60),
        refused: true,
      });
    }
    const typed = await agent.client.call('POST', path, { raw: good, headers: { 'content-type': 'text/plain' } });
    expect(typed.status).toBe(415);
    // Said to be too long before it is sent, and sent too long without saying so.
    const long = await agent.client.call('POST', path, { raw: `{"a":"${'x'.repeat(2_000_000)}"}` }).then(
      ({ status }) => status,
      () => 413,
    );
    expect(long).toBe(413);
    expect((await agent.client.call('DELETE', path)).status).toBe(405);
    expect((await agent.client.call('POST', agent.path('everything'))).status).toBe(404);
    expect(await taskState(id)).toBe('dispatched');
    expect((await agent.client.call('POST', path, { raw: good })).status).toBe(204);
  });

  it('cuts a revoked node off at once, though its certificate has not expired, and lets it back with a new token', async () => {
    const agent = await newAgent();
    expect((await agent.heartbeat()).status).toBe(200);
    const cut = agent.wait().then(
      ({ status }) => status,
      () => 'cut',
    );
    await expect.poll(() => world.metrics.scrape(), { timeout: 10_000 }).toMatch(/gpuaas_node_waiting\{[^}]*\} [1-9]/);
    await revoke(agent.nodeId);
    expect([204, 'cut']).toContain(await cut);
    await expect
      .poll(
        () =>
          agent.heartbeat().then(
            ({ status }) => status,
            () => 'cut',
          ),
        { timeout: 30_000 },
      )
      .toBe(401);
    const renewal = await agent.client.call('POST', agent.path('certificate'), {
      body: { csr: (await makeRequest(undefined)).pem },
    });
    expect(renewal.status).toBe(401);
    const { token } = await world.token({ purpose: 'recover', nodeId: agent.nodeId });
    const { agent: back } = await enrolAgent(here, token, agent.resultKey);
    open.push(back);
    expect(back.nodeId).toBe(agent.nodeId);
    await expect.poll(() => back.heartbeat().then(({ status }) => status), { timeout: 30_000 }).toBe(200);
  });

  it('lets only the host recover that is known: its key signs for it, and nobody else who has the token', async () => {
    const agent = await newAgent();
    const { token } = await world.token({ purpose: 'recover', nodeId: agent.nodeId });
    const client = makeNodeClient(here);
    const { pem } = await makeRequest(undefined);
    const [stranger, known] = [anyResultKey(), rawKey(createPublicKey(agent.resultKey))];
    const order = enrolmentOf(token, pem, known);
    const attempts = [
      // Another key, the right name without its signature, with another one's, and one from another request.
      signedWith(stranger.privateKey, enrolmentOf(token, pem, rawKey(stranger.publicKey))),
      order,
      signedWith(stranger.privateKey, order),
      { ...order, signature: signedWith(agent.resultKey, { ...order, agent_version: '2.0.0' }).signature },
    ];
    for (const body of attempts) {
      const refused = await client.call('POST', '/internal/v1/nodes/enrol', { body });
      expect(refused).toMatchObject({ status: 403, body: { code: 'node_key_unproven' } });
    }
    client.close();
    // Nothing was spent or taken away: the host itself comes back with the same token.
    expect((await agent.heartbeat()).status).toBe(200);
    const { agent: back } = await enrolAgent(here, token, agent.resultKey);
    open.push(back);
    expect(back.nodeId).toBe(agent.nodeId);
  });

  it('renews a certificate for whoever holds a good one, and both work until the old one ends', async () => {
    const agent = await newAgent();
    const { pem, privateKey } = await makeRequest(undefined);
    const renewed = await agent.client.call('POST', agent.path('certificate'), { body: { csr: pem } });
    expect(renewed).toMatchObject({ status: 200, body: { node_id: agent.nodeId } });
    const next = agentOf(
      here,
      { nodeId: agent.nodeId, certificate: renewed.body.certificate, key: privateKey },
      agent.resultKey,
    );
    open.push(next);
    expect((await next.heartbeat()).status).toBe(200);
    expect((await agent.heartbeat()).status).toBe(200);
  });

  it('writes the words of many nodes in few transactions, with clocks noted and not trusted', async () => {
    const agents: TestAgent[] = [];
    while (agents.length < 12) agents.push(await newAgent());
    const countOf = async (name: string) =>
      Number(new RegExp(`^${name}\\{[^}]*\\} (\\d+)`, 'm').exec(await world.metrics.scrape())?.[1] ?? 0);
    const before = await countOf('gpuaas_node_report_writes_total');
    const beganMs = Date.now();
    const wrong = new Date(Date.now() + 3_600_000).toISOString();
    const replies = await Promise.all(
      agents.map((agent) => agent.heartbeat({ sent_at: wrong, gpu_utilization: [7, 0] })),
    );
    for (const reply of replies) expect(reply).toMatchObject({ status: 200, body: { state: 'enrolling' } });
    // One a second is promised, and one that goes at once.
    const seconds = Math.ceil((Date.now() - beganMs) / 1_000);
    expect((await countOf('gpuaas_node_report_writes_total')) - before).toBeLessThanOrEqual(seconds + 1);
    const { rows } = await world.root.query(
      'select clock_skew_ms::int as skew, gpu_utilization, reported_at from node_reports where node_id = any ($1)',
      [agents.map(({ nodeId }) => nodeId)],
    );
    expect(rows).toHaveLength(12);
    for (const row of rows) {
      expect(row.skew).toBeGreaterThan(3_000_000);
      expect(row.gpu_utilization).toEqual([7, 0]);
      expect(new Date(row.reported_at).getTime()).toBeLessThan(Date.parse(wrong) - 1_000_000);
    }
  });

  it('writes the word of a node in a leap second, and those that are written with it', async () => {
    const agents = [await newAgent(), await newAgent(), await newAgent()];
    const leap = '2016-12-31T23:59:60Z';
    const replies = await Promise.all(agents.map((agent, n) => agent.heartbeat(n === 1 ? { sent_at: leap } : {})));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('keeps the words that make no sense out', async () => {
    const agent = await newAgent();
    for (const more of [
      { boot_id: 'x' },
      { sent_at: 'yesterday' },
      { leases: Array.from({ length: 65 }, () => ({})) },
      { conditions: [{ type: 'a b' }] },
      { more: true },
      { gpu_utilization: [101] },
    ]) {
      expect((await agent.heartbeat(more as object)).status).toBe(400);
    }
  });

  it('counts attempts to enrol by address, and waits for nobody who says nothing', async () => {
    const strict = await openDoorWorld({ 'rate_limit.credential_attempts_per_minute': 5 }, { handshakeMs: 1_000 });
    const client = makeNodeClient({ port: strict.door.port, roots: strict.roots });
    const statuses = new Set<number>();
    for (let at = 0; at < 8; at += 1) statuses.add((await client.enrol(`gpuaas_node_${systemIds.secret(24)}`)).status);
    expect([...statuses].sort((a, b) => a - b)).toEqual([401, 429]);
    client.close();
    // Nor does it wait for whoever connects and says nothing.
    const socket = connect(strict.door.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('close', resolve));
    await strict.close();
  });
});
