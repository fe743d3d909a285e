import type { Envelope } from '@gpuaas/contract';
import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { Delivery, Message } from './port.ts';

export type System = 'nats' | 'postgres';

const tracer = trace.getTracer('gpuaas');

/**
 * The trace of an event is that of the request which caused it: the relay that carries it, and the consumer that
 * acts on it minutes later, both hang below `traceparent`, whatever trace they happen to run in themselves.
 */
function parentOf(envelope: Envelope): Context {
  const parent = envelope.traceparent === undefined ? null : parseTraceParent(envelope.traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT;
}

function describe(system: System, { subject, envelope }: Message): Attributes {
  const { payload } = envelope;
  const allocation =
    typeof payload === 'object' && payload !== null && 'allocation_id' in payload ? payload.allocation_id : undefined;
  return {
    'messaging.system': system,
    'messaging.destination.name': subject,
    'event.type': envelope.event_type,
    correlation_id: envelope.correlation_id,
    ...(envelope.organization_id && { 'gpuaas.organization_id': envelope.organization_id }),
    ...(envelope.project_id && { 'gpuaas.project_id': envelope.project_id }),
    ...(envelope.actor_id && { 'gpuaas.user_id': envelope.actor_id }),
    ...(typeof allocation === 'string' && { 'gpuaas.allocation_id': allocation }),
  };
}

export interface PublishSpan {
  end(failure?: string): void;
}

/** A span for one message on its way into the bus. Costs next to nothing while nobody records. */
export function startPublishSpan(system: System, message: Message): PublishSpan {
  const span = tracer.startSpan(`publish ${message.subject}`, { kind: SpanKind.PRODUCER }, parentOf(message.envelope));
  if (span.isRecording()) span.setAttributes(describe(system, message));
  return {
    end(failure) {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
  };
}

/** Runs a handler inside a span, so that what it does itself becomes part of the event's trace. */
export async function inHandleSpan<T>(
  system: System,
  consumer: string,
  { message, attempt }: Delivery,
  handle: () => Promise<T>,
): Promise<T> {
  const parent = parentOf(message.envelope);
  const span = tracer.startSpan(`handle ${message.subject}`, { kind: SpanKind.CONSUMER }, parent);
  if (span.isRecording())
    span.setAttributes({
      ...describe(system, message),
      'messaging.consumer.group.name': consumer,
      'messaging.message.id': message.id,
      'gpuaas.attempt': attempt,
    });
  try {
    return await context.with(trace.setSpan(parent, span), handle);
  } catch (error) {
    span.recordException(error instanceof Error ? error : String(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}
