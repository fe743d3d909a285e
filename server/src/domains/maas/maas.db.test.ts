import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { everyStepMayFail, everyStepMayRunTwice, everyUndoMayRunTwice, runSaga } from '../../testing/sagas.ts';
import { asSystem } from '../../testing/world.ts';
import { placeNode } from '../inventory/testing.ts';
import type { OfJob } from './sagas/parts.ts';
import { type JobKind, type MaasTestWorld, openMaasWorld } from './testing.ts';

let maas: MaasTestWorld;
let site: string;
beforeAll(async () => {
  maas = await openMaasWorld();
  expect((await maas.call('POST', 'catalog/defaults', { reason: 'a test' })).status).toBe(200);
  const made = await maas.call('POST', 'maas-sites', {
    ...{ name: 'hall-1', region: 'test', url: maas.url, api_key: maas.apiKey, max_parallel: 50 },
  });
  expect(made).toMatchObject({ status: 201, body: { name: 'hall-1', erase: 'full', series: 'noble', problem: null } });
  site = made.body.id;
});
afterAll(() => maas?.close());

const sku = 'h200-sxm-slice';
const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
const newId = () => `m${systemIds.next().replaceAll('-', '').slice(-12)}`;
async function machine(changes: object = {}): Promise<string> {
  const { systemId } = maas.region.add({ systemId: newId(), hostname: `host-${newId()}`, status: 'ready', ...changes });
  await maas.watch();
  return systemId;
}
const onboard = (systemId: string, over: object = {}) =>
  maas.call('POST', `maas-sites/${site}/onboardings`, {
    ...{ machines: [{ system_id: systemId, sku, ...over }], reason: 'new capacity' },
  });
const shown = async (systemId: string) => (await maas.call('GET', `maas-sites/${site}/machines/${systemId}`)).body;
const jobOf = async (id: string) => (await maas.call('GET', `maas-jobs/${id}`)).body;

/** What the outside does while a job waits: time passes, the host boots where it is deployed, and the watcher looks. */
async function answer(jobId: string, step: string): Promise<unknown> {
  if (step === 'enrolled') await maas.boot(jobId);
  maas.pass();
  const { wait_token: token } = await maas.row('select wait_token from maas_jobs where id = $1', [jobId]);
  await maas.watch();
  return maas.answered.get(token);
}
const run = (kind: JobKind, jobId: string, onStep?: (step: string) => unknown) =>
  runSaga(maas.served[kind], {
    params: { jobId },
    look: () => 0,
    answer: async (step) => (await onStep?.(step)) ?? answer(jobId, step),
  });
async function begun(systemId: string, over: object = {}): Promise<string> {
  const asked = await onboard(systemId, over);
  expect(asked.status, asked.text).toBe(202);
  await maas.begin();
  return asked.body.jobs[0].id;
}
/** A node that was made of a machine, in service. */
async function inService(state = 'active'): Promise<{ systemId: string; nodeId: string }> {
  const systemId = await machine({ status: 'new' });
  const jobId = await begun(systemId);
  expect(await run('onboard', jobId)).toMatchObject({ state: 'done' });
  const { node_id: nodeId } = await jobOf(jobId);
  await asSystem(maas.world.root, `update nodes set state = 'active', version = version + 1 where id = $1`, [nodeId]);
  if (state !== 'active') {
    await asSystem(maas.world.root, `update nodes set state = $2, version = version + 1 where id = $1`, [
      nodeId,
      state,
    ]);
  }
  await maas.watch();
  return { systemId, nodeId };
}

describe('a site', () => {
  it('shows what MAAS lists, and never its key', async () => {
    const systemId = await machine({ hostname: 'gpu-a' });
    const got = await maas.call('GET', `maas-sites/${site}`);
    expect(got.body).toMatchObject({ release: '3.5.2', username: 'gpuaas', problem: null });
    expect(await shown(systemId)).toMatchObject({
      ...{
        hostname: 'gpu-a',
        maas: { status: 'ready', power: 'off' },
        node: null,
        allocations: [],
        job: null,
        drift: [],
      },
    });
    for (const part of ['bbbb', 'cccc']) expect(got.text).not.toContain(part);
    const kept = await maas.row(`select sealed_key, row_to_json(s)::text as text from maas_sites s where id = $1`, [
      site,
    ]);
    expect(kept.sealed_key.toString('latin1')).not.toContain('cccc');
    const { rows } = await maas.world.root.query(`select change::text from audit_logs where target_id = $1`, [site]);
    expect(JSON.stringify(rows)).not.toContain('cccc');
  });

  it('says why it cannot be used: the address, the name, the region', async () => {
    const make = (over: object) =>
      maas.call('POST', 'maas-sites', { name: 'x', region: 'test', url: maas.url, api_key: 'a:b:c', ...over });
    expect((await make({ url: 'http://maas.example/MAAS' })).body.code).toBe('maas_url_refused');
    expect((await make({ name: 'hall-1' })).body.code).toBe('maas_site_already_exists');
    expect((await make({ region: 'nowhere' })).body.code).toBe('region_not_found');
    expect((await make({ api_key: 'not a key' })).status).toBe(400);
  });

  it('tells that it does not answer, or does not take the key, and that it does again', async () => {
    const change = (body: object) => maas.call('PATCH', `maas-sites/${site}`, body);
    const look = async () => {
      await maas.watch();
      return (await maas.call('GET', `maas-sites/${site}`)).body;
    };
    maas.region.faults.push({ kind: 'status', status: 503, times: 1 });
    expect(await look()).toMatchObject({ problem: 'MAAS answered 503', failing_since: expect.any(String) });
    expect((await change({ api_key: 'x:y:z' })).status).toBe(200);
    expect(await look()).toMatchObject({ problem: expect.stringContaining('does not accept the key') });
    expect((await change({ api_key: maas.apiKey, revision: 1 })).body.code).toBe('version_conflict');
    expect((await change({ api_key: maas.apiKey })).status).toBe(200);
    expect(await look()).toMatchObject({ problem: null, failing_since: null });
  });

  it('does not send the key of one address to another: the key comes with the new address', async () => {
    const moved = await maas.call('PATCH', `maas-sites/${site}`, { url: `${maas.url}/elsewhere` });
    expect(moved).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    expect((await maas.call('GET', `maas-sites/${site}`)).body.url).toBe(maas.url);
    expect((await maas.call('PATCH', `maas-sites/${site}`, { url: maas.url })).status).toBe(200);
    const certificate = await maas.call('PATCH', `maas-sites/${site}`, { ca_pem: pem, api_key: maas.apiKey });
    expect(certificate.status).toBe(200);
    const without = await maas.call('PATCH', `maas-sites/${site}`, { ca_pem: null });
    expect(without).toMatchObject({ status: 400, body: { code: 'validation_error' } });
    expect((await maas.call('PATCH', `maas-sites/${site}`, { ca_pem: null, api_key: maas.apiKey })).status).toBe(200);
  });

  it('leaves an audit row for what changed, and none for a round that found nothing', async () => {
    const rows = async () =>
      (await maas.row(`select count(*)::int as n from audit_logs where action = 'maas_site.observe'`, [])).n;
    await machine();
    const before = await rows();
    await maas.watch();
    await maas.watch();
    expect(await rows()).toBe(before);
  });

  it('is not forgotten while machines of it are nodes or are worked on', async () => {
    const other = await maas.call('POST', 'maas-sites', {
      ...{ name: 'hall-2', region: 'test', url: maas.url, api_key: maas.apiKey, pool: 'empty' },
    });
    const remove = (id: string) => maas.call('DELETE', `maas-sites/${id}`, { reason: 'moved away' });
    expect((await remove(other.body.id)).status).toBe(200);
    await begun(await machine());
    expect((await remove(site)).body).toMatchObject({ code: 'maas_site_in_use' });
  });
});

describe('making nodes of machines', () => {
  it('ends with a node that enrolled with the token of its deployment', async () => {
    const systemId = await machine({ status: 'new' });
    const jobId = await begun(systemId, { name: 'node-a' });
    expect(maas.started).toContain(jobId);
    expect(await run('onboard', jobId)).toMatchObject({ state: 'done' });
    const job = await jobOf(jobId);
    expect(job).toMatchObject({ state: 'succeeded', phase: 'done', problem: null, node_name: 'node-a' });
    const node = (await maas.call('GET', `nodes/${job.node_id}`)).body;
    expect(node).toMatchObject({ name: 'node-a', onboarding_mode: 'maas', region: 'test', state: 'enrolling' });
    expect(maas.region.find(systemId)).toMatchObject({ status: 'deployed', ownerData: { gpuaas_node: job.node_id } });
    expect(await shown(systemId)).toMatchObject({
      maas: { status: 'deployed' },
      node: { state: 'enrolling' },
      job: null,
    });
  });

  it('takes all machines of a batch or none', async () => {
    const [one, two] = [await machine(), await machine({ status: 'deployed' })];
    const ask = (ids: readonly string[], name?: string) =>
      maas.call('POST', `maas-sites/${site}/onboardings`, {
        machines: ids.map((id) => ({ system_id: id, sku, ...(name && { name }) })),
        reason: 'a rack',
      });
    expect((await ask([one, two])).body).toMatchObject({
      code: 'maas_machine_unsuited',
      message: expect.stringContaining(two),
    });
    expect((await ask([one, 'nosuch'])).body.code).toBe('maas_machine_not_found');
    const three = await machine();
    expect((await ask([one, three], 'same-name')).body.code).toBe('node_already_exists');
    expect((await onboard(one, { sku: 'no-such-sku' })).body.code).toBe('sku_not_found');
    expect((await ask([one, three])).body.jobs).toHaveLength(2);
    expect((await ask([one])).body.code).toBe('maas_machine_busy');
  });

  it('works on as many machines at once as the site allows', async () => {
    await maas.begin();
    const { n: running } = await maas.row(`select count(*)::int as n from maas_jobs where state = 'running'`, []);
    await maas.call('PATCH', `maas-sites/${site}`, { max_parallel: Math.min(50, running + 1) });
    const [one, two] = [await machine(), await machine()];
    const jobs = [(await onboard(one)).body.jobs[0].id, (await onboard(two)).body.jobs[0].id];
    await maas.begin();
    await maas.begin();
    expect([(await jobOf(jobs[0])).state, (await jobOf(jobs[1])).state]).toEqual(['running', 'queued']);
    await maas.call('PATCH', `maas-sites/${site}`, { max_parallel: 50 });
  });

  const makeWorld = async () => {
    const systemId = await machine({ status: 'new' });
    const jobId = await begun(systemId);
    return {
      params: { jobId },
      answer: (step: string) => answer(jobId, step),
      async look() {
        // What is being erased is erased in the end.
        maas.pass();
        const found = maas.region.find(systemId);
        const live = `select count(*)::int as n from nodes n join maas_jobs j on j.node_id = n.id
          where j.id = $1 and n.state in ('bootstrap_issued', 'enrolling', 'active', 'offline')`;
        const linked = await maas.row('select node_id from maas_machines where site_id = $1 and system_id = $2', [
          site,
          systemId,
        ]);
        return {
          isFree: found?.status === 'new' || found?.status === 'ready',
          isDirty: found?.isDirty,
          owner: found?.owner,
          nodes: (await maas.row(live, [jobId])).n,
          isLinked: linked.node_id !== null,
        };
      },
    };
  };
  it('may fail at every step, and leaves no machine deployed without a node and no node without a machine', () =>
    everyStepMayFail<OfJob>(maas.served.onboard, makeWorld));
  it('may be interrupted in every step', () => everyStepMayRunTwice<OfJob>(maas.served.onboard, makeWorld));
  it('may be interrupted while it is taken back', () => everyUndoMayRunTwice<OfJob>(maas.served.onboard, makeWorld));

  it('survives an answer of MAAS that was lost after the order was carried out', async () => {
    for (const op of ['commission', 'allocate', 'set_owner_data', 'deploy']) {
      const systemId = await machine({ status: 'new' });
      const jobId = await begun(systemId);
      maas.region.faults.push({ kind: 'lost_answer', times: 1, op });
      expect(await run('onboard', jobId), op).toMatchObject({ state: 'done' });
    }
  });

  it.each([
    ['commission', 'failed commissioning'],
    ['deploy', 'failed deployment'],
  ] as const)('says what MAAS says when it cannot %s', async (what, words) => {
    const systemId = await machine({ status: 'new' });
    const jobId = await begun(systemId);
    maas.region.faults.push({ kind: 'fails', what, systemId });
    expect(await run('onboard', jobId)).toMatchObject({ state: 'undone' });
    expect(await jobOf(jobId)).toMatchObject({ state: 'failed', problem: expect.stringContaining(words) });
    maas.pass();
    expect(maas.region.find(systemId)).toMatchObject({ isDirty: false, owner: undefined });
  });

  it('leaves a machine alone that another one allocated in between', async () => {
    const systemId = await machine();
    const jobId = await begun(systemId);
    const found = maas.region.find(systemId);
    const ending = await run('onboard', jobId, (step) => {
      if (step === 'ready' && found) Object.assign(found, { status: 'allocated', owner: 'another' });
      return step === 'ready' ? {} : undefined;
    });
    expect(ending.state).toBe('undone');
    expect(maas.region.find(systemId)).toMatchObject({ status: 'allocated', owner: 'another' });
    expect((await jobOf(jobId)).problem).toContain('not ready');
  });

  it('gives the machine back when its host never enrols', async () => {
    const systemId = await machine();
    const jobId = await begun(systemId);
    const ending = await runSaga(maas.served.onboard, {
      params: { jobId },
      look: () => 0,
      answer: (step) => (step === 'enrolled' ? undefined : answer(jobId, step)),
    });
    expect(ending).toMatchObject({ state: 'undone', step: 'enrolled' });
    const job = await jobOf(jobId);
    expect(job).toMatchObject({ state: 'failed', problem: expect.stringContaining('awaiting enrolled') });
    expect(await maas.row('select state from nodes where id = $1', [job.node_id])).toEqual({ state: 'deleted' });
    // The token that is in the document opens nothing any more.
    expect(await maas.boot(jobId)).toBe(false);
  });
});

describe('imaging a host again', () => {
  const ask = async (nodeId: string) => {
    const { makeAskReimage } = await import('./reimaging.ts');
    const { actsOf } = await import('../../kernel/act.ts');
    const token = systemIds.next();
    const act = () => actsOf('saga:test', systemIds)('node.reimage', { correlationId: 'c' });
    const reimage = makeAskReimage(maas.parts);
    const reason = 'An allocation left it.';
    expect(await reimage(act(), { nodeId, reason }, token)).toBe('asked');
    // Asked again after a crash, it finds the job that is there.
    expect(await reimage(act(), { nodeId, reason }, token)).toBe('asked');
    await maas.begin();
    const job = await maas.row('select id from maas_jobs where answer_token = $1', [token]);
    return { token, jobId: job.id as string };
  };
  const certificates = (nodeId: string) =>
    maas.row('select count(*)::int as n from node_certificates where node_id = $1 and revoked_at is null', [nodeId]);

  it('is left to the agent where MAAS does not look after the node', async () => {
    const { makeAskReimage } = await import('./reimaging.ts');
    const { actsOf } = await import('../../kernel/act.ts');
    const nodeId = await placeNode(maas.world.root, { sku, region: 'test', slots: [{}] });
    const act = actsOf('saga:test', systemIds)('node.reimage', { correlationId: 'c' });
    expect(await makeAskReimage(maas.parts)(act, { nodeId, reason: 'a test' }, 'token')).toBeUndefined();
  });

  it('erases, deploys and answers with a proof when the host enrolled with the new token', async () => {
    const { systemId, nodeId } = await inService();
    await asSystem(
      maas.world.root,
      `insert into node_certificates (serial, node_id, not_before, not_after) values ($1, $2, now(), now() + interval '1 day')`,
      [systemIds.secret(16), nodeId],
    );
    const before = maas.region.find(systemId)?.userData;
    const { token, jobId } = await ask(nodeId);
    const seen: string[] = [];
    const ending = await run('reimage', jobId, (step) => {
      const found = maas.region.find(systemId);
      seen.push(`${step}: ${found?.status} ${found?.isDirty}`);
      return undefined;
    });
    expect(ending).toMatchObject({ state: 'done' });
    expect(seen).toEqual(['ready: disk_erasing true', 'deployed: deploying true', 'enrolled: deployed true']);
    expect(maas.region.find(systemId)?.userData).not.toBe(before);
    expect(await certificates(nodeId)).toEqual({ n: 0 });
    await maas.begin();
    expect(maas.answered.get(token)).toMatchObject({ outcome: 'succeeded', output: { reimaged: { passed: true } } });
  });

  it.each(['erase', 'deploy'] as const)('answers that there is no proof when MAAS cannot %s', async (what) => {
    const { systemId, nodeId } = await inService();
    const { token, jobId } = await ask(nodeId);
    maas.region.faults.push({ kind: 'fails', what, systemId });
    expect(await run('reimage', jobId)).toMatchObject({ state: 'undone' });
    await maas.begin();
    expect(maas.answered.get(token)).toMatchObject({ outcome: 'failed', failure: { code: 'reimage_failed' } });
  });

  it('gives no proof for a machine that another hand gave back', async () => {
    const { systemId, nodeId } = await inService();
    Object.assign(maas.region.find(systemId) ?? {}, { status: 'ready', owner: undefined });
    const { jobId } = await ask(nodeId);
    expect(await run('reimage', jobId)).toMatchObject({ state: 'undone' });
    expect((await jobOf(jobId)).problem).toContain('nobody knows whether it was erased');
  });

  const makeWorld = async () => {
    const { systemId, nodeId } = await inService();
    const { token, jobId } = await ask(nodeId);
    return {
      params: { jobId },
      answer: (step: string) => answer(jobId, step),
      async look() {
        await maas.begin();
        const answered = maas.answered.get(token) as { outcome: string } | undefined;
        const { node_id: linked } = await maas.row('select node_id from maas_machines where system_id = $1', [
          systemId,
        ]);
        return { isProven: answered?.outcome === 'succeeded', isOwned: linked === nodeId };
      },
    };
  };
  it('may fail at every step, and never proves what did not happen', () =>
    everyStepMayFail<OfJob>(maas.served.reimage, makeWorld));
  it('may be interrupted in every step', () => everyStepMayRunTwice<OfJob>(maas.served.reimage, makeWorld));
});

const decommission = (systemId: string) =>
  maas.call('POST', `maas-sites/${site}/machines/${systemId}/decommission`, { reason: 'its lease ends' });

describe('giving a machine back', () => {
  it('is refused while its node is in service', async () => {
    const { systemId } = await inService();
    expect((await decommission(systemId)).body).toMatchObject({
      ...{ code: 'maas_machine_unsuited', message: expect.stringContaining('drain and retire') },
    });
  });

  it('erases it and has its node removed', async () => {
    const { systemId, nodeId } = await inService('retired');
    const asked = await decommission(systemId);
    expect(asked.status, asked.text).toBe(202);
    await maas.begin();
    expect(await run('decommission', asked.body.id)).toMatchObject({ state: 'done' });
    expect(maas.region.find(systemId)).toMatchObject({ status: 'ready', isDirty: false, owner: undefined });
    expect(await maas.row('select state from nodes where id = $1', [nodeId])).toEqual({ state: 'removing' });
    expect(await shown(systemId)).toMatchObject({ node: null, drift: [] });
  });

  it('forgets nothing when the disks could not be erased', async () => {
    const { systemId, nodeId } = await inService('retired');
    const asked = await decommission(systemId);
    await maas.begin();
    maas.region.faults.push({ kind: 'fails', what: 'erase', systemId });
    expect(await run('decommission', asked.body.id)).toMatchObject({ state: 'undone' });
    expect(await jobOf(asked.body.id)).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('disk erasing'),
    });
    expect(await shown(systemId)).toMatchObject({ node: { id: nodeId, state: 'retired' } });
  });

  it('adopts a deployment that no row knows: it is shown, cannot be sold, and is erased', async () => {
    const systemId = await machine({ status: 'deployed', owner: 'gpuaas', isDirty: true, power: 'on' });
    expect(await shown(systemId)).toMatchObject({ node: null, drift: [{ kind: 'unknown_deployment' }] });
    expect((await onboard(systemId)).body.code).toBe('maas_machine_unsuited');
    const asked = await decommission(systemId);
    await maas.begin();
    expect(await run('decommission', asked.body.id)).toMatchObject({ state: 'done' });
    expect(maas.region.find(systemId)).toMatchObject({ status: 'ready', isDirty: false });
    const strange = await machine({ status: 'deployed', owner: 'another', isDirty: true });
    expect((await decommission(strange)).body.code).toBe('maas_machine_unsuited');
  });
});

describe('power and commissioning', () => {
  it('are jobs that end when MAAS shows it', async () => {
    const systemId = await machine();
    for (const power of ['on', 'off'] as const) {
      const asked = await maas.call('POST', `maas-sites/${site}/machines/${systemId}/power`, {
        power,
        reason: 'a look',
      });
      await maas.begin();
      expect(await run(`power_${power}`, asked.body.id)).toMatchObject({ state: 'done' });
      expect(await shown(systemId)).toMatchObject({ maas: { power } });
    }
    const asked = await maas.call('POST', `maas-sites/${site}/machines/${systemId}/commission`, {
      reason: 'new memory',
    });
    await maas.begin();
    expect(await run('commission', asked.body.id)).toMatchObject({ state: 'done' });
    expect(await jobOf(asked.body.id)).toMatchObject({ state: 'succeeded' });
  });

  it('are refused once more when their turn comes: a node that is in service again is neither switched off nor erased', async () => {
    const { systemId, nodeId } = await inService();
    const off = () =>
      maas.call('POST', `maas-sites/${site}/machines/${systemId}/power`, { power: 'off', reason: 'a look' });
    const become = (state: string) =>
      asSystem(maas.world.root, 'update nodes set state = $2, version = version + 1 where id = $1', [nodeId, state]);
    expect((await off()).body.code).toBe('maas_machine_unsuited');
    await become('quarantined');
    const [asked, power] = [await decommission(systemId), await off()];
    expect([asked.status, power.body.code]).toEqual([202, 'maas_machine_busy']);
    await become('active');
    await maas.begin();
    expect(await run('decommission', asked.body.id)).toMatchObject({ state: 'undone' });
    expect(await jobOf(asked.body.id)).toMatchObject({ state: 'failed', problem: expect.stringContaining('active') });
    expect(maas.region.find(systemId)).toMatchObject({ status: 'deployed' });
  });
});

describe('the three layers', () => {
  it.each([
    ['machine_not_deployed', { status: 'ready' }],
    ['machine_failed', { status: 'broken' }],
    ['power_off', { power: 'off' }],
    ['another_node', { ownerData: { gpuaas_node: 'another' } }],
  ])('contradict each other as %s, and none is changed', async (kind, changes) => {
    const { systemId, nodeId } = await inService();
    expect((await shown(systemId)).drift).toEqual([]);
    Object.assign(maas.region.find(systemId) ?? {}, changes);
    await maas.watch();
    expect((await shown(systemId)).drift).toMatchObject([{ kind, message: expect.stringMatching(/\.$/) }]);
    expect(await maas.row('select state from nodes where id = $1', [nodeId])).toEqual({ state: 'active' });
  });

  it('contradict each other when MAAS lists a machine no more', async () => {
    const { systemId } = await inService();
    maas.region.machines.delete(systemId);
    await maas.watch();
    expect(await shown(systemId)).toMatchObject({ drift: [{ kind: 'machine_missing' }] });
  });
});
