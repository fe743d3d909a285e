import type { CatalogItem } from '@gpuaas/sdk';
import { tellAction } from '@gpuaas/sdk/actions';
import { describe, expect, it } from 'vitest';
import { makeKeyring } from '../client/keyring.ts';
import { quoteForShell } from './command-line.ts';
import { faultOfAmount, leapOf, spellMoney, timesAmount } from './money.ts';
import { makeRail, type RailItem, type RailSource } from './rail.ts';
import { inSentence, isNotable, releaserOf, tellHappening, tellNotice, tellRelease } from './sentences.ts';
import { counted, shortId, slugOf, spellMemory } from './sizes.ts';
import { writeSnippets } from './snippets.ts';
import { spellAgo, spellDuration, spellMoments, spellSetting, spellWhen } from './time.ts';
import { hourly, inventName, priceSentence, stockOf } from './wish.ts';

const dollars = (minor: string) => ({ amount_minor: minor, currency: 'USD' });

describe('money', () => {
  it.each([
    ['450', 'USD', '$4.50'],
    ['5', 'EUR', '€0.05'],
    ['-123456789', 'USD', '−$1,234,567.89'],
    ['900', 'JPY', '900 JPY'],
    ['1234', 'KWD', '1.234 KWD'],
    ['99999999999999999999', 'USD', '$999,999,999,999,999,999.99'],
  ])('spells %s minor units of %s', (amount_minor, currency, text) => {
    expect(spellMoney({ amount_minor, currency })).toBe(text);
  });
  it('multiplies without losing a cent', () => {
    expect(timesAmount(dollars('9007199254740993'), 3)).toEqual(dollars('27021597764222979'));
  });
});

describe('time', () => {
  it.each([
    [0, '0 s'],
    [400, '< 1 s'],
    [65_000, '1 m 05 s'],
    [3 * 3_600_000, '3 h'],
    [3 * 3_600_000 + 12 * 60_000, '3 h 12 m'],
    [26 * 3_600_000, '1 d 2 h'],
    [-5, '0 s'],
  ])('spells %i ms', (ms, text) => expect(spellDuration(ms)).toBe(text));
  it('says how long ago, and how far ahead', () => {
    const now = Date.parse('2026-01-02T00:00:00Z');
    expect(spellAgo('2026-01-01T23:56:00Z', now)).toBe('4 min ago');
    expect(spellAgo('2026-01-02T03:00:00Z', now)).toBe('in 3 h');
    expect(spellAgo('2026-01-02T00:00:00Z', now)).toBe('just now');
    // The clocks of a server and a browser differ a little: what happened is never said to be yet to come.
    expect(spellAgo('2026-01-02T00:00:05Z', now)).toBe('just now');
    expect(spellAgo(null, now)).toBe('never');
    expect(spellAgo('rubbish', now)).toBe('at an unknown time');
  });
});

describe('times in their surroundings', () => {
  it.each([
    [604_800, 'seconds', '604,800 seconds (7 d)'],
    [900, 'seconds', '900 seconds (15 m)'],
    [1, 'requests per minute', '1 request per minute'],
    [30, 'seconds', '30 seconds'],
    [true, undefined, 'true'],
    ['user-reside', undefined, 'user-reside'],
  ])('spells the value %s %s of a policy', (value, unit, said) => expect(spellSetting(value, unit)).toBe(said));
  it('has the date where it was not today', () => {
    const at = '2026-03-04T10:00:00.000Z';
    expect(spellWhen(at, Date.parse(at) + 1_000)).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(spellWhen(at, Date.parse(at) + 3 * 86_400_000)).toContain('Mar 2026');
  });
  it('is read in what the server says, too', () => {
    expect(spellMoments('Good until 2026-03-04T10:00:00.000Z.')).toMatch(
      /^Good until \d{1,2} Mar 2026, \d\d:\d\d:\d\d\.$/,
    );
  });
});

describe('sizes', () => {
  it('counts, and shortens', () => {
    expect([counted(1, 'GPU'), counted(4, 'GPU'), counted(12_000, 'row')]).toEqual(['1 GPU', '4 GPUs', '12,000 rows']);
    expect(spellMemory(143_771)).toBe('140 GiB');
    expect(shortId('01a1dea2-0000-7000-8000-0123456789ab')).toBe('…456789ab');
  });
});

const slice: RailSource = {
  state: 'provisioning',
  capacity_shape: 'gpu_slice',
  placement_status: 'leased',
  created_at: '2026-01-01T00:00:00Z',
  active_at: null,
  ended_at: null,
};
const phase = (name: string, at: string): RailItem => ({ kind: 'phase', name, at, to_state: null });

describe('the progress rail', () => {
  it('shows what is done with its time, what runs, and what is to come', () => {
    const rail = makeRail(slice, [phase('lease', '2026-01-01T00:00:02Z'), phase('host_check', '2026-01-01T00:00:05Z')]);
    expect(rail.slice(0, 4).map(({ name, status, tookMs }) => [name, status, tookMs])).toEqual([
      ['placed', 'done', 2_000],
      ['lease', 'done', 3_000],
      ['host_check', 'running', undefined],
      ['vfio_bind', 'pending', undefined],
    ]);
  });
  it('drops a phase that was left out, and never shows a negative time', () => {
    const rail = makeRail(slice, [phase('lease', '2025-12-31T23:59:59Z'), phase('image', '2026-01-01T00:00:09Z')]);
    expect(rail.map(({ name }) => name)).not.toContain('vfio_bind');
    expect(rail[0]?.tookMs).toBe(0);
  });
  it('marks where it failed', () => {
    const rail = makeRail({ ...slice, state: 'failed', ended_at: '2026-01-01T00:00:09Z' }, [
      phase('lease', '2026-01-01T00:00:02Z'),
      phase('vfio_bind', '2026-01-01T00:00:04Z'),
      { kind: 'transition', name: 'failed', at: '2026-01-01T00:00:09Z', to_state: 'failed' },
    ]);
    expect(rail.filter(({ status }) => status === 'failed').map(({ name, tookMs }) => [name, tookMs])).toEqual([
      ['vfio_bind', 5_000],
    ]);
    expect(rail.some(({ status }) => status === 'running')).toBe(false);
  });

  it('marks the step that the server names as the failed one, in whatever order the host went', () => {
    const failed = { ...slice, state: 'failed', ended_at: '2026-01-01T00:00:09Z' };
    const told: RailItem[] = [
      phase('machine', '2026-01-01T00:00:02Z'),
      phase('disk', '2026-01-01T00:00:04Z'),
      { kind: 'transition', name: 'fail', at: '2026-01-01T00:00:09Z', to_state: 'failed' },
    ];
    const marked = (failed_phase: string, timeline: RailItem[]) =>
      makeRail({ ...failed, failed_phase }, timeline)
        .filter(({ status }) => status === 'failed')
        .map(({ name }) => name);
    expect(marked('disk', told)).toEqual(['disk']);
    expect(marked('lease', told.slice(-1))).toEqual(['lease']);
  });
  it('shows the attempt that is under way, and nothing of one that failed before', () => {
    const rail = makeRail({ ...slice, state: 'provisioning' }, [
      phase('readiness', '2026-01-01T00:00:04Z'),
      { kind: 'transition', name: 'retry', at: '2026-01-01T00:00:09Z', to_state: 'requested' },
      phase('lease', '2026-01-01T00:00:11Z'),
    ]);
    const begun = rail.filter(({ beganAt }) => beganAt !== undefined);
    expect(begun.map(({ name, status }) => [name, status])).toEqual([
      ['placed', 'done'],
      ['lease', 'running'],
    ]);
    expect(begun[0]?.tookMs).toBe(2_000);
  });
  it('is done from end to end once it is active', () => {
    const rail = makeRail({ ...slice, state: 'active', active_at: '2026-01-01T00:01:00Z' }, [
      phase('readiness', '2026-01-01T00:00:50Z'),
    ]);
    expect(rail.every(({ status }) => status === 'done')).toBe(true);
    expect(rail.at(-1)?.tookMs).toBe(10_000);
  });
});

describe('sentences', () => {
  it('names who released an allocation', () => {
    const end = { kind: 'transition', name: 'release', from_state: 'active', to_state: 'releasing' };
    expect(releaserOf([{ ...end, detail: { reason: 'user', released_by: 'u-1' } }, end])).toBe('u-1');
    expect(releaserOf([end])).toBeUndefined();
    expect(tellRelease('user', inSentence('You'))).toBe('by you');
    expect(tellRelease('done for today', 'Ada')).toBe('by Ada: done for today');
    expect(tellRelease('max_duration')).toBe('at the end of its duration');
  });
  it('tells what happened, and does not hide what it has no words for', () => {
    const happening = { kind: 'note', name: 'queued', from_state: null, to_state: null };
    expect(tellHappening(happening)).toBe('No capacity available: queued.');
    expect(tellHappening({ ...happening, name: 'some_new_thing' })).toBe('Some new thing.');
    expect(tellHappening({ ...happening, kind: 'transition', to_state: 'active' })).toContain('Active');
    const ended = { kind: 'transition', name: 'prove', from_state: 'releasing', to_state: 'released' };
    expect(tellHappening(ended)).toContain('disks are wiped');
    const left = { ...ended, name: 'cancel', from_state: 'requested' };
    expect(tellHappening(left)).toBe('Cancelled before a host was assigned.');
    // The trace of a request does not have the state before.
    expect(tellHappening({ ...left, from_state: null })).toBe('Cancelled before a host was assigned.');
    const extended = { kind: 'task', name: 'allocation.extend_lease', from_state: null, to_state: null };
    expect(tellHappening(extended)).toBe('Extended.');
    expect(tellHappening({ ...extended, detail: { expires_at: '2026-01-02T03:04:05Z' } })).toMatch(
      /^Extended to .*2026/,
    );
    expect(tellAction('ssh_key.add')).toBe('added an SSH key');
    expect(tellAction('project.create')).toBe('created a project');
    expect(tellAction('user.create')).toBe('created a user');
    expect(tellAction('odd')).toBe('odd');
    expect(tellAction('sku.retire')).toBe('retired a SKU');
    expect(tellAction('member.leave')).toBe('left the organization');
    expect([isNotable('provisioning.phase'), isNotable('provisioning.active')]).toEqual([false, true]);
    expect(tellNotice('provisioning.failed', 'calm-otter').sentence).toBe('calm-otter failed');
  });
});

describe('snippets', () => {
  const project = '01a1dea2-0000-7000-8000-000000000001';
  it('puts values where they belong, in every tongue', () => {
    const made = writeSnippets(
      { operation: 'ssh_key_list', input: { limit: 50, cursor: undefined } },
      'http://localhost:8443',
      project,
    );
    expect(made.curl).toContain(`'http://localhost:8443/api/v1/me/ssh-keys?limit=50'`);
    expect(made.cli).toBe('npx gpuaas key list \\\n  --limit 50');
    expect(made.typescript).toContain('for await (const item of gpuaas.sshKeys.list(');
    expect(made.python).toContain('    for item in gpu.ssh_keys.list(limit=50):');
  });
  it('writes values as each tongue has them', () => {
    const input = { sku: 'h200', idle: { minutes: 5, action: 'release' }, hard: true, gone: null };
    const made = writeSnippets({ operation: 'allocation_create', input }, 'http://localhost:8443', project);
    expect(made.python).toContain(
      'gpu.allocations.create(sku="h200", idle={"minutes": 5, "action": "release"}, hard=True, gone=None)',
    );
  });
  it('types a command where there is one for all of it, and the call itself where there is none', () => {
    const cli = (operation: Parameters<typeof writeSnippets>[0]['operation'], input: object) =>
      writeSnippets({ operation, input: input as Record<string, unknown> }, 'http://localhost:8443', project).cli;
    const wish = { sku: 'h200', gpus: 2, region: 'eu-1', max_duration_seconds: 3600, tags: { team: 'a b' } };
    expect(cli('allocation_create', { ...wish, idle: { action: 'release', minutes: 30 } }).split(' \\\n  ')).toEqual([
      'npx gpuaas launch h200',
      '--count 2',
      '--region eu-1',
      '--for 3600s',
      '--idle-stop 30m',
      `--tag 'team=a b'`,
      `--project ${project}`,
    ]);
    expect(cli('allocation_create', { ...wish, idle: { action: 'warn', minutes: 30 } })).toMatch(
      /^npx gpuaas api POST /,
    );
    expect(cli('node_get', { node_id: '-rf' })).toMatch(/^npx gpuaas api GET /);
    expect(cli('signing_key_list', {})).toBe(`npx gpuaas api GET '/api/v1/auth/keys'`);
    expect(cli('project_ssh_key_list', {})).toContain('gpuaas key list --shared');
  });
  it('keeps a hostile name a name', () => {
    expect(quoteForShell(`a'; rm -rf ~ #`)).toBe(`'a'\\''; rm -rf ~ #'`);
    const made = writeSnippets(
      { operation: 'project_ssh_key_add', input: { name: `'$(reboot)'` } },
      'http://localhost:8443',
      project,
    );
    expect(made.curl).toContain(`-H 'X-Project-ID: ${project}'`);
    expect(made.curl).toContain('Idempotency-Key');
    expect(made.curl).toContain(`'{"name":"'\\''$(reboot)'\\''"}'`);
  });
});

const item = {
  billing_unit: 'gpu_hour',
  availability: [
    { gpu_count: 2, region: 'eu-1', available: 3 },
    { gpu_count: 2, region: 'us-1', available: 1 },
    { gpu_count: 1, region: 'eu-1', available: 9 },
  ],
  prices: [
    { region: null, unit_price: dollars('450'), price_id: 'a', effective_from: '' },
    { region: 'us-1', unit_price: dollars('500'), price_id: 'b', effective_from: '' },
  ],
} as unknown as CatalogItem;

describe('what one is about to ask for', () => {
  it('has the price of its region before the general one, and the stock of its size', () => {
    expect(hourly(item, 'eu-1', 2)).toEqual(dollars('900'));
    expect(hourly(item, 'us-1', 2)).toEqual(dollars('1000'));
    expect(hourly({ ...item, billing_unit: 'node_hour' }, 'eu-1', 8)).toEqual(dollars('450'));
    expect([stockOf(item, 'eu-1', 2), stockOf(item, undefined, 2), stockOf(item, 'eu-1', 4)]).toEqual([3, 4, 0]);
  });
  it('says what it costs in a sentence', () => {
    expect(priceSentence(dollars('900'), 3)).toContain('at most $27.00');
    expect(priceSentence(dollars('900'), undefined)).toContain('until you release it');
    expect(priceSentence(undefined, 3)).toContain('No price');
  });
  it('has a name that the API takes', () => expect(inventName(() => 0.999)).toMatch(/^[a-z]+-[a-z]+-\d\d$/));
});

describe('keys of acts', () => {
  it('are the same for the same act until it is done, and never for another', () => {
    let made = 0;
    const ring = makeKeyring(() => `key-${++made}`);
    const first = ring.keyFor('launch', { gpus: 1 });
    expect(ring.keyFor('launch', { gpus: 1 })).toBe(first);
    expect(ring.keyFor('launch', { gpus: 2 })).not.toBe(first);
    ring.done('launch', { gpus: 1 });
    expect(ring.keyFor('launch', { gpus: 1 })).not.toBe(first);
  });
});

describe('a price that a person types', () => {
  it.each([
    ['', undefined],
    ['4.50', undefined],
    ['abc', 'Write a number'],
    ['-1', 'cannot be negative'],
    ['4.555', 'has 2 decimal places'],
    ['9999999999999', 'too large'],
  ])('%j: %s', (text, fault) => {
    const said = faultOfAmount(text, 'USD');
    expect(fault === undefined ? said : said?.includes(fault)).toBe(fault === undefined ? undefined : true);
  });
  it('is confirmed where it is more than twice or less than half of the current one', () => {
    expect(leapOf('4500', '450')).toBe('10.0 times the current price');
    expect(leapOf('45', '450')).toBe('10.0 times less than the current price');
    expect([leapOf('900', '450'), leapOf('225', '450'), leapOf('1', undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
  it('is shown in money where a policy counts minor units', () => {
    expect(spellSetting(1_000, 'minor units')).toBe('10.00 (1,000 minor units)');
  });
});

it('makes a slug from a name', () => {
  expect(['Vision & Speech', ' Éclair 2 ', '---', 'x'.repeat(80)].map(slugOf)).toEqual([
    'vision-speech',
    'eclair-2',
    '',
    'x'.repeat(63),
  ]);
});
