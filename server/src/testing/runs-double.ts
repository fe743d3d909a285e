import type { RunInDetail, SagaRuns } from '../ports/sagas/port.ts';

/** One run that waits, for tests that have no engine. The engines themselves are tried by the suite of their port. */
export const knownRun: RunInDetail = {
  saga: 'allocation.provision',
  version: 1,
  id: '01900000-0000-7000-8000-000000000007',
  state: 'running',
  step: 'machine',
  reason: undefined,
  correlationId: 'a-request',
  organizationId: undefined,
  beganAt: new Date('2026-01-01T00:00:00Z'),
  endedAt: undefined,
  plan: {
    saga: 'allocation.provision',
    version: 1,
    steps: [
      { name: 'begin', kind: 'step', undoes: true, attempts: 3, firstDelayMs: 1, maxDelayMs: 1, attemptMs: 1 },
      { name: 'machine', kind: 'wait', undoes: true, attempts: 3, firstDelayMs: 1, maxDelayMs: 1, attemptMs: 1 },
    ],
  },
  attempts: [
    {
      step: 'begin',
      work: 'do',
      end: 'failed',
      reason: 'the token gpuaas_pat_0123456789abcdef0123456789abcdef0123456789abcdef was refused',
      beganAt: new Date('2026-01-01T00:00:00Z'),
      endedAt: new Date('2026-01-01T00:00:01Z'),
    },
  ],
  standing: { doing: 'waiting', untilMs: Date.parse('2026-01-01T01:00:00Z'), isUndoing: false },
  orders: [],
  whyNot: { retry: undefined, cancel: undefined },
};

const isKnown = (saga: string, id: string) => saga === knownRun.saga && id === knownRun.id;

export const makeRunsDouble = (): SagaRuns => ({
  list: async ({ saga, state, id }) =>
    [knownRun].filter(
      (run) => (!saga || run.saga === saga) && (!state || run.state === state) && (!id || run.id.startsWith(id)),
    ),
  find: async (saga, id) => (isKnown(saga, id) ? knownRun : undefined),
  retry: async (saga, id) => (isKnown(saga, id) ? 'accepted' : undefined),
  cancel: async (saga, id) => (isKnown(saga, id) ? 'accepted' : undefined),
  close: async () => undefined,
});
