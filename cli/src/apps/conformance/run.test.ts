import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rehearse, type Script } from '../../testing.ts';
import { templates } from '../templates.ts';

const [project, app, id, allocation] = [1, 2, 3, 4].map((each) => `01935a2c-0000-7000-8000-00000000000${each}`);
const env = { GPUAAS_PROJECT: project ?? '' };
const image = `registry.example.com/echo@sha256:${'ab'.repeat(32)}`;
const base = templates.api('echo');
const manifest = {
  ...base,
  runtime: { ...base.runtime, image },
  tests: [{ name: 'models', endpoint: 'api', path: '/v1/models', expect_status: 200, expect_text: 'noise' }],
};
const page = (...data: readonly unknown[]) => ({ data, next_cursor: null, has_more: false });
const routes = [{ id: 'r', endpoint: 'api', family: 'api', auth: 'bearer', url: 'http://api-1.apps.localhost:9' }];
const now = (state: string, more: object = {}) => ({
  ...{ id, state, app_version: '0.1.0', version_change: null, simulated: false, routes, phase: null },
  ...{ failure_reason: null, end_reason: null, ...more },
});
const at = `/api/v1/app-instances/${id}`;
const life = [now('launching'), now('running'), now('running'), now('running'), now('stopped'), now('running')];
const stranger = { refused: 401, body: {} };
const world = (more: Script = {}): Script => ({
  'GET /api/v1/catalog/apps': page({ id: app, reference: 'home/echo', own: true }),
  [`GET /api/v1/catalog/apps/${app}/versions`]: page({ version: '0.1.0', manifest, launchable: true, reason: null }),
  'GET /api/v1/allocations': page({ id: allocation, name: 'trainer' }),
  [`GET /api/v1/allocations/${allocation}`]: { id: allocation, name: 'trainer' },
  'POST /api/v1/app-instances': now('requested'),
  [`GET ${at}`]: [...life, now('released')],
  'GET /': stranger,
  'GET /health': 'well',
  'GET /v1/models': 'noise',
  [`GET ${at}/use`]: [page(), page({ requests: 2 })],
  ...Object.fromEntries(
    ['upgrade', 'rollback', 'stop', 'start', 'release'].map((word) => [`POST ${at}/${word}`, now(word)]),
  ),
  ...more,
});

let path: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-kit-'));
  path = join(folder, 'app.json');
  await writeFile(path, JSON.stringify(manifest));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const kit = (script: Script, ...words: string[]) =>
  rehearse(['app', 'test', path, '--on', allocation ?? '', ...words], script, { env });

describe('gpuaas app test', () => {
  it('takes an instance through everything, releases it and prints a list', async () => {
    const { code, out, err, asked } = await kit(world());
    expect(code, out + err).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => line.trim());
    expect(lines.slice(1)).toEqual([
      ...['✓ home/echo 0.1.0 is published and may be launched here', '✓ it becomes ready'],
      ...['✓ endpoint api lets no stranger in', '✓ endpoint api answers at /health', '✓ test models'],
      ...['✓ its use is counted: 2 requests', '✓ it moves to the same version again', '✓ it goes back'],
      ...['✓ it stops', '✓ it starts again', '✓ it is released'],
    ]);
    expect(
      asked.filter(({ request }) => request.startsWith('POST')).map(({ request }) => request.split('/').at(-1)),
    ).toEqual(['app-instances', 'upgrade', 'rollback', 'stop', 'start', 'release']);
    expect(err).toContain('12 passed, 0 failed');
  });

  it.each([
    [
      'an endpoint that lets strangers in',
      { 'GET /': 'come in' },
      '✗ endpoint api lets no stranger in',
      'It answered 200',
    ],
    ['an endpoint that is not well', { 'GET /health': { refused: 503, body: {} } }, '✗ endpoint api answers', '503'],
    ['a test that reads something else', { 'GET /v1/models': 'silence' }, '✗ test models', 'has no "noise"'],
    ['use that is not counted', { [`GET ${at}/use`]: page() }, '✗ its use is counted', '2 requests went through and 0'],
  ])('fails over %s, says what to do, and goes on', async (_, more, line, why) => {
    const { code, out } = await kit(world(more));
    expect(code).toBe(1);
    expect(out).toContain(line);
    expect(out).toContain(why);
    expect(out).toContain('Next: ');
    expect(out).toContain('✓ it is released');
  });

  it('ends at a launch that fails, with its reason, and releases it', async () => {
    const failed = now('failed', { failure_reason: 'The container did not stay: it ended with 1.' });
    const { code, out } = await kit(world({ [`GET ${at}`]: [failed, now('released')] }));
    expect(code).toBe(1);
    expect(out).toContain('✗ it becomes ready\n      The container did not stay: it ended with 1.');
    expect(out).not.toContain('endpoint');
    expect(out).toContain('✓ it is released');
  });

  it('fails when the old container came back after the move, or a step is refused', async () => {
    const back = [...life.slice(0, 2), now('running', { previous_version: null }), now('released')];
    const returned = await kit(world({ [`GET ${at}`]: back }));
    expect(returned).toMatchObject({ code: 1, out: expect.stringContaining('✗ the move lasts') });
    const body = { code: 'illegal_transition', message: 'It cannot be stopped now.', correlation_id: 'c' };
    const refused = await kit(
      world({ [`POST ${at}/stop`]: { refused: 409, body }, [`GET ${at}`]: [...life.slice(0, 4), now('released')] }),
    );
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('It cannot be stopped now.') });
    expect(refused.out).toContain('✓ it is released');
  });

  it('compares no text on a simulated host, and says so', async () => {
    const simulated = [...life.slice(0, 1), now('running', { simulated: true }), ...life.slice(2), now('released')];
    const uses = [page({ requests: 1 })];
    const { code, out } = await kit(world({ [`GET ${at}`]: simulated, [`GET ${at}/use`]: uses }));
    expect(code).toBe(0);
    expect(out).toContain('– test models\n      Its host is simulated');
  });

  it('is one document for programs', async () => {
    const { out } = await kit(world(), '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      passed: 12,
      failed: 0,
      checks: expect.arrayContaining([expect.anything()]),
    });
  });

  it('launches nothing that is not published, or is published with another image', async () => {
    const none = await kit(world({ [`GET /api/v1/catalog/apps/${app}/versions`]: page() }));
    expect(none).toMatchObject({ code: 3, err: expect.stringContaining('gpuaas app publish') });
    const other = await kit(world(), '--image', image.replaceAll('ab', 'cd'));
    expect(other).toMatchObject({ code: 6, err: expect.stringContaining('another image') });
    expect([...none.asked, ...other.asked].filter(({ request }) => request.startsWith('POST'))).toEqual([]);
  });

  it('shows the price of a new allocation, and launches nothing without a yes', async () => {
    const node = { sku: 'h200-node', capacity_shape: 'baremetal', allowed_gpu_counts: [8] };
    const free = { ...node, availability: [{ region: 'north', gpu_count: 8, available: 1 }] };
    const usd = { amount_minor: '3200', currency: 'USD' };
    const plan = { feasible: true, message: '', price: { per_hour: usd }, projected: null };
    const script = world({ 'GET /api/v1/catalog': page(free), 'POST /api/v1/allocations/plan': plan });
    const { code, err, asked } = await rehearse(['app', 'test', path], script, { env });
    expect(code).not.toBe(0);
    expect(err).toContain('Price  32.00 USD/h');
    expect(asked.map(({ request }) => request)).not.toContain('POST /api/v1/app-instances');
  });
});
