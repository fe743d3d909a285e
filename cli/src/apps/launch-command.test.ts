import { describe, expect, it } from 'vitest';
import { rehearse } from '../testing.ts';

const [project, app, version] = [1, 2, 3].map((each) => `01935a2c-0000-7000-8000-00000000000${each}`);
const env = { GPUAAS_PROJECT: project ?? '' };
const usd = (amount_minor: string) => ({ amount_minor, currency: 'USD' });
const page = (...data: readonly unknown[]) => ({ data, next_cursor: null, has_more: false });
const node = {
  sku: 'h200-node',
  allowed_gpu_counts: [8],
  availability: [
    { region: 'north', gpu_count: 8, available: 1 },
    { region: 'south', gpu_count: 8, available: 2 },
  ],
};
const metering = [
  { name: 'tokens', unit: 'token', source: 'app', price: { amount_minor: '20', currency: 'USD', per: 1000 } },
  { name: 'pages', unit: 'page', source: 'app' },
];
const versionsOf = (...launchable: readonly boolean[]) =>
  page(...launchable.map((one) => ({ version: '1.0.0', launchable: one, manifest: { metering } })));
const script = {
  'GET /api/v1/catalog': page(node),
  'GET /api/v1/catalog/apps': page({ id: app, reference: 'demo/chat' }),
  [`GET /api/v1/catalog/apps/${app}/versions`]: versionsOf(true),
  'POST /api/v1/allocations/plan': { feasible: true, message: '', price: { per_hour: usd('3200') }, projected: null },
  'POST /api/v1/app-instances': {
    ...{ id: version, name: 'chat', app_reference: 'demo/chat', app_version: '1.0.0', state: 'requested' },
    ...{ allocation_id: app, routes: [] },
  },
};
const launch = ['app', 'launch', 'demo/chat', '--sku', 'h200-node'];
const madeBy = ({ asked }: Awaited<ReturnType<typeof rehearse>>) =>
  asked.filter(({ request }) => request === 'POST /api/v1/app-instances').map(({ body }) => body);

describe('gpuaas app launch with a new allocation', () => {
  it('shows the price, and launches nothing without a yes', async () => {
    const run = await rehearse(launch, script, { env });
    expect(run.err).toContain('Price  32.00 USD/h');
    expect(run.err).toContain('Repeat the command with --yes.');
    expect(run.code).not.toBe(0);
    expect(madeBy(run)).toEqual([]);
  });

  it('shows what the version asks for its units, and nothing of those without a price', async () => {
    const { err } = await rehearse(launch, script, { env });
    expect(err).toContain('Units  0.20 USD for 1,000 token (tokens)');
    expect(err).not.toContain('pages');
  });

  it('takes the size of the SKU and the region with the most free capacity', async () => {
    const run = await rehearse([...launch, '--yes'], script, { env });
    expect(run.code).toBe(0);
    expect(madeBy(run)).toEqual([
      { app: 'demo/chat', parameters: {}, allocation: { sku: 'h200-node', region: 'south', gpus: 8 } },
    ]);
  });

  it('takes the region that is named', async () => {
    const run = await rehearse([...launch, '--region', 'north', '--yes'], script, { env });
    expect(madeBy(run)).toMatchObject([{ allocation: { region: 'north' } }]);
  });
});

describe('a command about an app', () => {
  const found = { 'GET /api/v1/catalog/apps': page({ id: app, reference: 'demo/chat' }) };
  it('takes publisher/slug', async () => {
    const versions = { ...found, [`GET /api/v1/catalog/apps/${app}/versions`]: page() };
    expect(await rehearse(['app', 'versions', 'demo/chat'], versions, { env })).toMatchObject({ code: 0 });
  });

  it('takes publisher/slug for a login to the registry', async () => {
    const made = {
      registry: '127.0.0.1:5443',
      repository: 'demo/chat',
      username: 'u',
      password: 'p',
      expires_at: 'soon',
    };
    const script = { ...found, [`POST /api/v1/apps/${app}/push-credentials`]: made };
    const run = await rehearse(['app', 'registry', 'login', 'demo/chat'], script, { env });
    expect(run).toMatchObject({ code: 0, out: 'podman login --tls-verify=false -u u -p p 127.0.0.1:5443\n' });
  });

  it('says where to look when the project finds no such app', async () => {
    const run = await rehearse(['app', 'versions', 'demo/nothing'], found, { env });
    expect(run.err).toContain('This project finds no app "demo/nothing".');
    expect(run.err).toContain('gpuaas app catalog');
  });
});
