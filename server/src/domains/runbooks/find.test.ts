import { expect, it } from 'vitest';
import { findRunbook, searchRunbooks } from './find.ts';

it('finds a runbook by its id, by its alert, and by a finding of the health of the platform', () => {
  for (const name of ['outbox-stalled', 'OutboxStalled', 'outbox_age']) {
    expect(findRunbook(name)).toMatchObject({ id: 'outbox-stalled', severity: 'critical', owner: 'outbox' });
  }
  expect(findRunbook('OutboxStalled')?.text).toContain('# OutboxStalled');
  expect(findRunbook('nothing_of_ours')).toBeUndefined();
});

it('takes a signal that ends in * for all that begin so, and for no other', () => {
  expect(findRunbook('lag_of_email_worker')?.id).toBe('event-consumer-behind');
  expect(findRunbook('lag')).toBeUndefined();
});

it('lists those that a signal, a category and a word fit, all at once', () => {
  const ids = (...[wanted]: Parameters<typeof searchRunbooks>) => searchRunbooks(wanted).map(({ id }) => id);
  expect(ids({ signal: 'NodeLost' })).toEqual(['node-lost']);
  expect(ids({ q: 'LEDGER' })).toContain('ledger-unbalanced');
  expect(ids({ category: 'maas' })).toEqual(['maas-drift', 'maas-jobs-failed', 'maas-site-away']);
  expect(ids({ category: 'maas', signal: 'NodeLost' })).toEqual([]);
  expect(ids({}).length).toBeGreaterThan(50);
});
