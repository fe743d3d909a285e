import { expect, it } from 'vitest';
import { runbookOfInstance, runbookOfMoment } from './runbooks.ts';

const moment = (
  source: 'task' | 'dead_letter' | 'allocation' | 'event' | 'audit',
  name: string,
  state: string | null,
) => ({
  ...{ source, name, state, actor: null, took_ms: null },
});

it('leads from an instance to the runbook of its way or of its launch', () => {
  expect(runbookOfInstance({ state: 'running' })).toBe('apps-not-reached');
  expect(runbookOfInstance({ state: 'failed' })).toBe('app-launches-stand-still');
  expect(runbookOfInstance({ state: 'stopped' })).toBeUndefined();
});

it('leads from a moment of a request to a runbook only when something went wrong', () => {
  expect(runbookOfMoment(moment('dead_letter', 'x', 'open'))).toBe('dlq-depth');
  expect(runbookOfMoment(moment('dead_letter', 'x', 'requeued'))).toBeUndefined();
  expect(runbookOfMoment(moment('task', 'slice.vm_provision', 'expired'))).toBe('node-tasks-waiting');
  expect(runbookOfMoment(moment('task', 'slice.vm_provision', 'succeeded'))).toBeUndefined();
  expect(runbookOfMoment(moment('event', 'apps.instance.failed', null))).toBe('app-launches-stand-still');
  expect(runbookOfMoment(moment('audit', 'allocation.create', 'success'))).toBeUndefined();
});
