import { describe, expect, it } from 'vitest';
import { rehearse, type Script } from './testing.ts';

/** Output as people and programs see it, letter by letter. `vitest -u` writes it anew; the change is then read. */

const id = '01a1dea2-0000-7000-8000-000000000001';
const project = { id: '01a1dea2-0000-7000-8000-00000000000a', slug: 'vision', name: 'Vision', organization_id: 'o' };
const usd = (amount_minor: string) => ({ amount_minor, currency: 'USD' });
const price = { per_hour: usd('450'), unit_price: usd('450'), unit: 'gpu_hour', price_id: null };
const page = (...data: readonly object[]) => ({ data, has_more: false, next_cursor: null });
const allocation = (state: string, more: object = {}) => ({
  id,
  name: 'trainer',
  state,
  sku: 'h200-sxm-slice',
  gpu_count: 1,
  region: 'local',
  image: 'ubuntu-24.04',
  profile: { name: 'h200_1g', vcpus: 24, memory_mib: 65_536 },
  price,
  created_at: '2026-11-15T11:59:50.123Z',
  active_at: state === 'active' ? '2026-11-15T11:59:58.000Z' : null,
  expires_at: null,
  ended_at: null,
  idle: null,
  queue: null,
  failure: null,
  receipt: null,
  release_reason: null,
  attempt: 1,
  max_attempts: 3,
  over: false,
  simulated: false,
  reachable: true,
  concerns: [],
  login: { uid: 20_004, gid: 20_004, username: 'u20004' },
  access: state === 'active' ? { address: '10.92.49.10', port: 2222, username: 'u20004' } : null,
  tags: { team: 'vision' },
  ...more,
});
const item = (n: number, kind: string, name: string, more: object = {}) => ({
  id: `t${n}`,
  at: `2026-11-15T11:59:5${n}.000Z`,
  kind,
  name,
  from_state: null,
  to_state: null,
  version: null,
  detail: {},
  correlation_id: 'c-7',
  ...more,
});
const items = [
  item(0, 'transition', 'request', { to_state: 'requested' }),
  item(1, 'note', 'placement_reserved'),
  item(2, 'transition', 'provision', { from_state: 'requested', to_state: 'provisioning' }),
  item(3, 'phase', 'host_check'),
  item(8, 'transition', 'activate', { from_state: 'provisioning', to_state: 'active' }),
];
const decision = {
  outcome: 'placed',
  considered: 3,
  feasible: 2,
  decided_at: '2026-11-15T11:59:50.000Z',
  chosen: { gpus: 1, numa_groups: 1, image_cached: true },
  reasons: [{ constraint: 'health', nodes: 1, message: 'a GPU is not healthy' }],
  nearest_miss: null,
  would_fit: [],
};
const receipt = {
  attestation_id: 'a',
  cuda_version: '13.0',
  driver_version: '580.1',
  gpus: 1,
  passed: true,
  taken_at: '2026-11-15T11:59:57.000Z',
};
const catalogue = page({
  sku: 'h200-sxm-slice',
  display_name: 'NVIDIA H200 GPU VM',
  capacity_shape: 'gpu_slice',
  allowed_gpu_counts: [1, 2, 4],
  billing_unit: 'gpu_hour',
  prices: [{ unit_price: usd('450'), region: null }],
  availability: [
    { region: 'local', gpu_count: 1, available: 16 },
    { region: 'north', gpu_count: 1, available: 3 },
  ],
  os_images: ['ubuntu-24.04'],
  default_image: 'ubuntu-24.04',
});
const plan = {
  feasible: true,
  message: 'It fits.',
  price,
  profile: allocation('active').profile,
  projected: usd('1350'),
  decision,
};
const active = allocation('active', { receipt });
const world: Script = {
  'GET /api/v1/me': {
    id: 'u',
    posix: { username: 'u20004', uid: 20_004, gid: 20_004 },
    platform_roles: [],
    organizations: [{ id: 'o', name: 'Lab', slug: 'lab', role: 'member' }],
    default_project_id: project.id,
  },
  [`GET /api/v1/projects/${project.id}`]: project,
  'GET /api/v1/me/ssh-keys': page({
    id: '01a1dea2-0000-7000-8000-0000000000f1',
    name: 'laptop',
    fingerprint: 'SHA256:a',
  }),
  'GET /api/v1/ssh-keys': page({ id: '01a1dea2-0000-7000-8000-0000000000f2', name: 'build', fingerprint: 'SHA256:b' }),
  'GET /api/v1/catalog': catalogue,
  'POST /api/v1/allocations/plan': plan,
  'POST /api/v1/allocations': allocation('requested'),
  'GET /api/v1/allocations': page(active, allocation('failed', { id: 'x', name: 'evil\u001b[31m', ended_at: null })),
  [`GET /api/v1/allocations/${id}`]: [allocation('requested'), allocation('provisioning'), active],
  [`GET /api/v1/allocations/${id}/timeline`]: [page(...items.slice(0, 2)), page(...items.slice(0, 4)), page(...items)],
  [`GET /api/v1/allocations/${id}/placement`]: decision,
  [`GET /api/v1/allocations/${id}/attestations`]: page({
    passed: true,
    taken_at: receipt.taken_at,
    problems: [],
    attestation: { gpus: [{}], driver_version: '580.1', cuda_version: '13.0' },
  }),
};
const nowActive: Script = { ...world, [`GET /api/v1/allocations/${id}`]: active };
const simulated: Script = {
  ...world,
  [`GET /api/v1/allocations/${id}`]: { ...active, simulated: true, receipt: { ...receipt, simulated: true } },
};
const failed = allocation('failed', {
  failure: { code: 'gpu_unhealthy', reason: 'A GPU has fallen off the bus.' },
  ended_at: '2026-11-15T11:59:59.000Z',
});
const node = {
  id,
  name: 'rack-7',
  state: 'active',
  schedulable: true,
  simulated: true,
  sku: 'h200-sxm-slice',
  region: 'eu-1',
  slots: { available: 6, in_use: 2 },
  last_report_at: '2026-11-15T11:59:59.000Z',
};

interface Golden {
  readonly name: string;
  readonly args: readonly string[];
  readonly script?: Script;
  readonly isTTY?: boolean;
  readonly env?: Record<string, string>;
}
const goldens: readonly Golden[] = [
  {
    name: 'launch-terminal',
    args: ['launch', 'h200-sxm-slicex1', '--for', '3h', '--idle-stop', '30m', '-y'],
    isTTY: true,
    env: { NO_COLOR: '1' },
  },
  { name: 'launch-pipe', args: ['launch', 'h200-sxm-slicex1', '--for', '3h', '-y', '--quiet'] },
  { name: 'launch-ndjson', args: ['launch', 'h200-sxm-slice', '--for', '3h', '-y', '--quiet', '-o', 'ndjson'] },
  { name: 'launch-unasked', args: ['launch', 'h200-sxm-slicex1', '--no-input'] },
  { name: 'launch-dry', args: ['launch', 'h200-sxm-slicex1', '--tag', 'team=vision', '--dry-run'] },
  {
    name: 'launch-full',
    args: ['launch', 'h200-sxm-slicex1', '-y'],
    script: {
      ...world,
      'POST /api/v1/allocations/plan': {
        ...plan,
        feasible: false,
        message: 'Nothing is free now.',
        decision: { ...decision, outcome: 'refused', would_fit: [{ change: 'other_region', region: 'north' }] },
      },
    },
  },
  {
    name: 'launch-failed',
    args: ['launch', 'h200-sxm-slicex1', '-y', '--quiet'],
    script: { ...world, [`GET /api/v1/allocations/${id}`]: failed },
  },
  { name: 'status', args: ['status'] },
  { name: 'alloc-list', args: ['alloc', 'list'] },
  { name: 'alloc-list-csv', args: ['alloc', 'list', '-o', 'csv', '--columns', 'name,state,price.per_hour'] },
  { name: 'alloc-get', args: ['alloc', 'get', id], script: nowActive },
  { name: 'alloc-get-yaml', args: ['alloc', 'get', 'trainer', '-o', 'yaml'], script: nowActive },
  { name: 'alloc-get-fields', args: ['alloc', 'get', id, '--json=state,access.port'], script: nowActive },
  { name: 'why', args: ['why', id], script: nowActive },
  { name: 'why-failed', args: ['why', id], script: { ...world, [`GET /api/v1/allocations/${id}`]: failed } },
  { name: 'launch-simulated', args: ['launch', 'h200-sxm-slicex1', '-y'], script: simulated },
  { name: 'why-simulated', args: ['why', id], script: simulated },
  { name: 'ssh-no-host-keys', args: ['ssh', id], script: simulated },
  {
    name: 'timeline',
    args: ['timeline', id],
    script: { ...world, [`GET /api/v1/allocations/${id}/timeline`]: page(...items) },
  },
  { name: 'sku-list', args: ['sku', 'list'] },
  {
    name: 'ops-node-list',
    args: ['ops', 'node', 'list'],
    script: { 'GET /api/v1/admin/nodes': page(node) },
  },
  {
    name: 'ops-node-drain',
    args: ['ops', 'node', 'drain', 'rack-7', '--notice-minutes', '60', '--reason', 'new switch', '-y'],
    script: {
      'GET /api/v1/admin/nodes': page(node),
      [`POST /api/v1/admin/nodes/${id}/drain`]: { ...node, state: 'draining', schedulable: false },
    },
  },
  { name: 'ops-node-drain-why', args: ['ops', 'node', 'drain', id, '-y'] },
  {
    name: 'ops-policy-settings',
    args: ['ops', 'policy', 'settings'],
    script: {
      'GET /api/v1/admin/policies': {
        definitions: [
          { key: 'allocations.max_active', default: 4, unit: 'allocations' },
          { key: 'queue.open', default: true },
        ],
        settings: [{ key: 'allocations.max_active', value: 8, level: 'project', subject_id: 'p', hard: false }],
      },
    },
  },
  {
    name: 'ops-audit-broken',
    args: ['ops', 'audit', 'verify'],
    script: {
      'GET /api/v1/admin/audit-logs/verify': {
        chain: 'platform',
        intact: false,
        rows: 7,
        erased: 0,
        unsealed: 0,
        head: null,
        broken: { audit_id: 'a', sequence: '5', why: 'the hash differs' },
      },
    },
  },
  { name: 'explain', args: ['whoami', '--explain'] },
  {
    name: 'refused',
    args: ['release', id, '-y'],
    script: {
      ...world,
      [`POST /api/v1/allocations/${id}/release`]: {
        refused: 409,
        body: { code: 'allocation_already_releasing', message: 'It is being released already.', correlation_id: 'c-9' },
      },
    },
  },
  { name: 'unknown', args: ['alocl', 'list'] },
  { name: 'missing', args: ['release'] },
  { name: 'help-launch', args: ['launch', '--help'] },
  { name: 'help-ops-node', args: ['ops', 'node', '--help'] },
];

describe('what commands print', () => {
  it.each(goldens.map((golden) => [golden.name, golden] as const))(
    '%s',
    async (name, { args, script = world, isTTY = false, env = {} }) => {
      const { code, out, err } = await rehearse(args, script, { isTTY, env });
      const text = `$ gpuaas ${args.join(' ')}\n${out}--- stderr\n${err}--- exit ${code}\n`;
      expect(text).not.toContain('secret-token');
      await expect(text).toMatchFileSnapshot(`../golden/${name}.txt`);
    },
  );
});

describe('money and records', () => {
  it('sends a payment back as it was typed, once', async () => {
    const path = `POST /api/v1/admin/payments/sessions/${id}/refunds`;
    const args = ['ops', 'billing', 'refund', id, '--amount', '25 USD', '--reason', 'asked for'];
    const { code, asked } = await rehearse([...args, '-y', '-o', 'json'], {
      ...world,
      [path]: { id, amount: usd('2500') },
    });
    expect(code).toBe(0);
    expect(asked.filter(({ request }) => request.startsWith('POST'))).toEqual([
      { request: path, body: { amount_minor: '2500', currency: 'USD', reason: 'asked for' } },
    ]);
  });

  it('prints the audit log of an organization as the server exports it', async () => {
    const rows = '{"id":"1","action":"member.add"}\n{"id":"2","action":"allocation.create"}\n';
    const script = { ...world, 'GET /api/v1/organizations/o/audit-logs/export': rows };
    const { code, out } = await rehearse(['ops', 'audit', 'export'], script);
    expect([code, out]).toEqual([0, rows]);
  });
});

describe('a launch', () => {
  it('asks for exactly what was planned, once', async () => {
    const { asked } = await rehearse(['launch', 'h200-sxm-slicex1', '--for', '1h', '-y', '-d'], world);
    const wish = {
      ...{ sku: 'h200-sxm-slice', gpus: 1, region: 'local', max_duration_seconds: 3_600 },
      ssh_key_ids: ['01a1dea2-0000-7000-8000-0000000000f1', '01a1dea2-0000-7000-8000-0000000000f2'],
    };
    expect(asked.filter(({ request }) => request.startsWith('POST'))).toEqual([
      { request: 'POST /api/v1/allocations/plan', body: wish },
      { request: 'POST /api/v1/allocations', body: wish },
    ]);
  });

  it('installs the keys of the person and the project, unless it is given others or none', async () => {
    const keysOf = async (script: Script, ...flags: string[]) => {
      const { asked, err } = await rehearse(['launch', 'h200-sxm-slicex1', '-y', '-d', ...flags], script);
      const made = asked.find(({ request }) => request === 'POST /api/v1/allocations')?.body as Record<string, unknown>;
      return { keys: made['ssh_key_ids'], said: /Keys {3}(.*)/.exec(err)?.[1] };
    };
    const [laptop, build] = ['01a1dea2-0000-7000-8000-0000000000f1', '01a1dea2-0000-7000-8000-0000000000f2'];
    expect(await keysOf(world)).toEqual({ keys: [laptop, build], said: 'laptop, build' });
    expect(await keysOf(world, '--ssh-key', 'laptop')).toEqual({ keys: [laptop], said: 'laptop' });
    expect(await keysOf(world, '--ssh-key', 'none')).toMatchObject({ keys: undefined });
    const without = { ...world, 'GET /api/v1/me/ssh-keys': page(), 'GET /api/v1/ssh-keys': page() };
    expect(await keysOf(without)).toEqual({
      keys: undefined,
      said: 'none: add one with gpuaas key add to sign in by SSH',
    });
    const refused = { refused: 403, body: { code: 'scope_missing', message: 'no', correlation_id: 'c' } };
    expect(await keysOf({ ...world, 'GET /api/v1/me/ssh-keys': refused })).toMatchObject({ keys: undefined });
  });

  it('asks a person, and takes no for an answer', async () => {
    const args = ['launch', 'h200-sxm-slicex1', '-d'];
    const made = 'POST /api/v1/allocations';
    const no = await rehearse(args, world, { isTTY: true, stdin: 'n\n' });
    expect(no).toMatchObject({ code: 2, err: expect.stringContaining('? Launch? (Y/n) ') });
    expect(no.asked.map(({ request }) => request)).not.toContain(made);
    const yes = await rehearse(args, world, { isTTY: true, stdin: '\n' });
    expect(yes.code).toBe(0);
    expect(yes.asked.map(({ request }) => request)).toContain(made);
    const robot = await rehearse(args, world, { isTTY: true, stdin: '\n', env: { CI: 'true' } });
    expect(robot.code).toBe(2);
  });

  it('changes nothing without a yes', async () => {
    for (const flags of [['--no-input'], ['--dry-run', '-y']]) {
      const { asked } = await rehearse(['launch', 'h200-sxm-slicex1', ...flags], world);
      // What is dry is thought of, and not sent.
      expect(asked.map(({ request }) => request)).not.toContain('POST /api/v1/allocations');
    }
  });

  it('goes on when nobody watches it any more, and says so', async () => {
    let stop: (() => void) | undefined;
    const { code, err } = await rehearse(['launch', 'h200-sxm-slicex1', '-y', '--quiet'], world, {
      once: (call) => {
        stop = call;
      },
      sleep: async () => stop?.(),
    });
    expect(code).toBe(130);
    expect(err).toBe(
      `Error: You stopped watching. The operation continues.\nNext: gpuaas alloc wait ${id} watches again, gpuaas release ${id} releases it.\n`,
    );
  });
});
