import type { SagasConfig } from '../open.ts';
import type { Origin, Run, Sagas } from '../port.ts';

/** An engine to test against, and how a process called `identity` would open it. */
export interface SagasUnderTest {
  config(identity: string): SagasConfig;
  close(): Promise<void>;
}
/** What the tests of one engine share. */
export interface Bench {
  config(identity: string): SagasConfig;
  /** Opens the port; the bench closes it after the test unless the test did. */
  open(identity: string): Promise<Sagas>;
  close(sagas: Sagas): Promise<void>;
  ended(sagas: Sagas, saga: { readonly name: string }, id: string): Promise<Run>;
}

export const origin: Origin = {
  correlationId: '01900000-0000-7000-8000-00000000c0de',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  organizationId: '01900000-0000-7000-8000-000000000001',
  projectId: undefined,
};
export const nothing = { none: 'this step only takes notes' };
export const quick = { attempts: 3, firstDelayMs: 5, maxDelayMs: 10 };
