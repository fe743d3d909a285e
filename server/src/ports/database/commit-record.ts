import { type DeclaredEvent, type Envelope, events } from '@gpuaas/contract';
import { Compile, type Validator } from 'typebox/compile';
import type { Act, Receipt } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { idempotencyOf } from '../../kernel/idempotency.ts';
import { setApart } from '../../kernel/particulars.ts';
import { redact } from '../../kernel/telemetry/redact.ts';

const payloads = new Map<string, Validator>(events.map((kind) => [kind.type, Compile(kind.payload)]));

interface Stamps {
  readonly ids: Ids;
  readonly clock: Clock;
}

/** What is written with the commit of an act: its audit row, its events and the stored reply, as values of `actCommit`. */
export function commitValues(
  stamps: Stamps,
  act: Act,
  value: unknown,
  receipt: Receipt,
  idempotency: ReturnType<typeof idempotencyOf>,
): unknown[] {
  const organizationId = act.organizationId ?? receipt.organizationId;
  const projectId = act.projectId ?? receipt.projectId;
  const envelopes =
    receipt.events === 'none'
      ? []
      : receipt.events.map((event) => sealed(stamps, act, event, { organizationId, projectId }));
  const some = envelopes.length > 0;
  const reply = idempotency?.encode(value);
  // Shown to many: what looks like a secret stays out, whatever field it came in. What could name a person goes apart.
  const { kept, apart } = setApart(redact(receipt.change ?? {}) as object);
  return [
    act.id,
    organizationId ?? null,
    projectId ?? null,
    act.actorId,
    act.actorKind,
    act.actorRole,
    act.action,
    receipt.target.type,
    receipt.target.id,
    receipt.result ?? 'success',
    act.correlationId,
    JSON.stringify(kept),
    act.address ?? null,
    act.userAgent ?? null,
    some ? envelopes.map(({ envelope }) => envelope.event_id) : null,
    some ? envelopes.map(({ envelope }) => envelope.event_id) : null,
    some ? envelopes.map(({ envelope }) => envelope.event_type) : null,
    some ? envelopes.map(({ event }) => event.key) : null,
    some ? envelopes.map(({ envelope }) => JSON.stringify(envelope)) : null,
    idempotency?.principal ?? null,
    idempotency?.route ?? null,
    idempotency?.key ?? null,
    idempotency?.fingerprint ?? null,
    reply?.status ?? null,
    reply?.kept ?? null,
    idempotency?.expiresAt.toISOString() ?? null,
    receipt.about ?? (receipt.target.type === 'user' ? receipt.target.id : act.actorId),
    apart ? JSON.stringify(apart) : null,
  ];
}

/** An event in its envelope. One that is not as declared fails the write. */
function sealed(
  { ids, clock }: Stamps,
  act: Act,
  event: DeclaredEvent,
  { organizationId, projectId }: { organizationId: string | undefined; projectId: string | undefined },
): { event: DeclaredEvent; envelope: Envelope } {
  const valid = payloads.get(event.type);
  if (!valid?.Check(event.payload))
    throw new Error(`${act.action} leaves an event ${event.type} that is not as declared`);
  return {
    event,
    envelope: {
      event_id: ids.next(),
      event_type: event.type,
      occurred_at: clock.now().toISOString(),
      version: event.version,
      correlation_id: act.correlationId,
      ...(act.traceparent && { traceparent: act.traceparent }),
      ...(organizationId && { organization_id: organizationId }),
      ...(projectId && { project_id: projectId }),
      ...(act.actorKind === 'user' && { actor_id: act.actorId }),
      payload: event.payload,
    },
  };
}
