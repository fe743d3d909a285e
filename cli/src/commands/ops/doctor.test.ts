import { expect, it } from 'vitest';
import { rehearse, type Script } from '../../testing.ts';
import { readVersion } from '../../version.ts';

const finding = (name: string, status: string, runbook: string | null = null) => ({
  ...{ section: 'events', name, status, value: 1, unit: 'count', message: `${name} is ${status}.`, runbook },
});
const runbook = (id: string, ...signals: string[]) => ({
  ...{
    id,
    title: id,
    category: 'c',
    severity: 'warning',
    owner: 'o',
    signals,
    summary: 'S.',
    page: `/docs/runbooks/${id}`,
  },
});
const none = { data: [], has_more: false, next_cursor: null };
const well: Script = {
  'GET /api/v1/admin/runbooks': {
    data: [
      runbook('clock-skew', 'clock_skew'),
      runbook('workflows-stuck', 'stuck_workflows'),
      runbook('support-triage', 'cli_version'),
    ],
  },
  'GET /api/v1/admin/health': {
    ...{
      status: 'ok',
      version: readVersion(),
      checked_at: '2026-11-15T12:00:00Z',
      findings: [finding('outbox_age', 'ok')],
    },
  },
  'GET /api/v1/admin/workflows': none,
  'GET /api/v1/admin/allocations/stuck': none,
  'GET /api/v1/admin/alerts': none,
  'GET /api/v1/admin/breakers': none,
  'GET /api/v1/admin/maas-sites': none,
  'GET /api/v1/admin/secrets': none,
  'GET /api/v1/admin/history': none,
};
const health = (more: object) => ({
  ...well,
  'GET /api/v1/admin/health': { ...(well['GET /api/v1/admin/health'] as object), ...more },
});
const rowsOf = async (script: Script, ...flags: string[]) => {
  const { out, code } = await rehearse(['ops', 'doctor', '-o', 'json', ...flags], script);
  return { code, rows: JSON.parse(out) as { check: string; status: string; runbook: string | null }[] };
};

it('says that all is in order, and shows each check when asked', async () => {
  const quiet = await rehearse(['ops', 'doctor'], well);
  expect(quiet).toMatchObject({ code: 0, out: '', err: expect.stringContaining('All 10 checks are in order.') });
  const { rows } = await rowsOf(well, '--all');
  expect(rows.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['outbox_age', 'clock_here', 'versions', 'drift', 'sealing_keys', 'history']),
  );
});

it('puts the worst first, names the runbook of each finding, and fails for what is bad', async () => {
  const found = health({
    findings: [finding('dead_letters', 'warn', 'dlq-depth'), finding('outbox_age', 'bad', 'outbox-stalled')],
  });
  const { code, rows } = await rowsOf({ ...found, 'GET /api/v1/admin/workflows': { data: [{}, {}] } });
  expect(code).toBe(1);
  expect(rows.map(({ check, status, runbook: page }) => [status, check, page])).toEqual([
    ['bad', 'outbox_age', 'outbox-stalled'],
    ['bad', 'stuck_workflows', 'workflows-stuck'],
    ['warn', 'dead_letters', 'dlq-depth'],
  ]);
});

it('fails for a warning only when it is strict', async () => {
  const found = health({ version: '0.0.1' });
  expect(await rowsOf(found)).toMatchObject({ code: 0, rows: [{ check: 'versions', runbook: 'support-triage' }] });
  expect((await rowsOf(found, '--strict')).code).toBe(1);
});

it('compares the clock of this machine with that of the api', async () => {
  const { code, rows } = await rowsOf(health({ checked_at: '2026-11-15T12:02:00Z' }));
  expect({ code, rows }).toMatchObject({
    code: 1,
    rows: [{ check: 'clock_here', status: 'bad', runbook: 'clock-skew' }],
  });
});

it('does not call in order what it could not look at', async () => {
  const refused = { refused: 403, body: { code: 'admin_required', message: 'Not for you.', correlation_id: 'c-1' } };
  const { code, rows } = await rowsOf({ ...well, 'GET /api/v1/admin/history': refused });
  expect({ code, rows }).toMatchObject({ code: 1, rows: [{ check: 'history', status: 'unknown' }] });
});

it('shows a runbook as it was written, by the name of its alert', async () => {
  const page = { ...runbook('node-lost', 'NodeLost'), text: '# NodeLost\n\nGone.\u001b[2J\n' };
  const shown = await rehearse(['ops', 'runbook', 'show', 'NodeLost'], { 'GET /api/v1/admin/runbooks/NodeLost': page });
  expect(shown.code).toBe(0);
  expect(shown.out).toBe('# NodeLost\n\nGone.·[2J\n');
  const missing = {
    refused: 404,
    body: { code: 'runbook_not_found', message: 'There is none.', correlation_id: 'c-2' },
  };
  expect(await rehearse(['ops', 'runbook', 'show', 'x'], { 'GET /api/v1/admin/runbooks/x': missing })).toMatchObject({
    code: 3,
  });
});
