import { describe, expect, it } from 'vitest';
import { findAll, type Reading, worstOf } from './findings.ts';

const well: Reading = {
  tookMs: 1,
  databaseBytes: 10_000_000,
  connections: 20,
  maxConnections: 100,
  relays: 2,
  workers: 5,
  billing: 2,
  pending: 0,
  oldestPendingSeconds: 0,
  oldestPendingType: undefined,
  deadLetters: 0,
  behind: [],
  alerts: { blocks_sale: 0, blocks_transition: 0, informs: 0 },
  lostNodes: 0,
  silentNodes: 0,
  tasksWaiting: 0,
  oldestTaskSeconds: 0,
  certificatesExpiring: 0,
  clockSkewSeconds: 0,
  unsealed: 0,
  oldestUnsealedSeconds: 0,
  unlistedProxy: undefined,
};
const statusOf = (reading: Partial<Reading>, name: string) =>
  findAll({ ...well, ...reading }).find((finding) => finding.name === name)?.status;

describe('the health of the platform', () => {
  it('is well when nothing waits and everybody is there', () => {
    expect(worstOf(findAll(well))).toBe('ok');
  });

  it('is as well as the worst of its findings', () => {
    expect(worstOf(findAll({ ...well, deadLetters: 1 }))).toBe('warn');
    expect(worstOf(findAll({ ...well, deadLetters: 1, workers: 0 }))).toBe('bad');
  });

  it.each([
    [{ relays: 0 }, 'outbox_relay', 'bad'],
    [{ workers: 0 }, 'workers', 'bad'],
    [{ billing: 0 }, 'billing_worker', 'bad'],
    [{ oldestPendingSeconds: 11, pending: 3 }, 'outbox_age', 'warn'],
    [{ oldestPendingSeconds: 61, pending: 3 }, 'outbox_age', 'bad'],
    [{ connections: 81 }, 'database_connections', 'warn'],
    [{ lostNodes: 1 }, 'lost_nodes', 'warn'],
    [{ alerts: { blocks_sale: 1, blocks_transition: 0, informs: 0 } }, 'alerts_blocking', 'warn'],
    [{ alerts: { blocks_sale: 0, blocks_transition: 0, informs: 1 } }, 'alerts_informing', 'warn'],
    [{ silentNodes: 1 }, 'silent_nodes', 'warn'],
    [{ oldestTaskSeconds: 400, tasksWaiting: 1 }, 'task_age', 'bad'],
    [{ unlistedProxy: { address: '10.0.0.7', seenAt: new Date(0) } }, 'unlisted_proxy', 'warn'],
    [{ clockSkewSeconds: 5 }, 'clock_skew', 'warn'],
    [{ unsealed: 4, oldestUnsealedSeconds: 90 }, 'audit_unsealed', 'warn'],
  ] as const)('tells %o by %s: %s', (reading, name, status) => {
    expect(statusOf(reading, name)).toBe(status);
  });

  it('names the oldest event that is not on the bus', () => {
    const found = findAll({
      ...well,
      pending: 3,
      oldestPendingSeconds: 12,
      oldestPendingType: 'provisioning.requested',
    });
    expect(found.find(({ name }) => name === 'outbox_age')?.message).toContain('of 3 events');
    expect(found.find(({ name }) => name === 'outbox_age')?.message).toContain('provisioning.requested');
  });

  it.each([
    [0, 0, 'ok'],
    [3, 2, 'ok'],
    [3, 301, 'warn'],
    [101, 2, 'warn'],
    [101, 3_601, 'bad'],
    [10_001, 2, 'bad'],
  ] as const)(
    'tells of %d events that wait for a consumer, the oldest for %d s: %s',
    (waiting, oldestSeconds, status) => {
      const behind = [{ consumer: 'provisioning-worker', waiting, oldestSeconds }];
      const found = findAll({ ...well, behind }).find(({ name }) => name === 'lag_of_provisioning_worker');
      expect(found).toMatchObject({ section: 'events', value: waiting, unit: 'count', status });
    },
  );

  it('says that the bus does not answer, never that nothing waits', () => {
    const found = findAll({ ...well, behind: undefined }).find(({ name }) => name === 'bus');
    expect(found).toMatchObject({ status: 'bad', value: null });
  });
});
