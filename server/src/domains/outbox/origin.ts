import type { Envelope } from '@gpuaas/contract';
import type { Origin } from '../../ports/sagas/port.ts';

/** A run that an event begins belongs to the request that the event came from. */
export const originOf = (envelope: Envelope): Origin => ({
  correlationId: envelope.correlation_id,
  traceparent: envelope.traceparent,
  organizationId: envelope.organization_id,
  projectId: envelope.project_id,
});
