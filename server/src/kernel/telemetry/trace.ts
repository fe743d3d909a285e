import {
  type Attributes,
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { drawHex } from '../randomness.ts';
import { redacting } from './trace-redaction.ts';

/**
 * Traces follow a request through HTTP, outbox, bus and saga by its `traceparent`. They are recorded only where an
 * endpoint is configured; the trace id travels in any case, so that logs of all processes can be joined by it.
 */
let recording = false;
const tracer = trace.getTracer('gpuaas');

/** Turns recording on for the whole Node process. Answers how to flush and stop. */
export function startTracing(spec: {
  /** The process, by which a collector tells spans apart. */
  readonly service?: string;
  readonly version?: string;
  readonly otlpEndpoint?: string | undefined;
  readonly processors?: readonly SpanProcessor[];
}): { close(): Promise<void> } {
  const processors = [
    ...(spec.otlpEndpoint ? [new BatchSpanProcessor(new OTLPTraceExporter({ url: spec.otlpEndpoint }))] : []),
    ...(spec.processors ?? []),
  ];
  if (processors.length === 0) return { close: async () => undefined };
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': spec.service, 'service.version': spec.version }),
    spanProcessors: processors.map(redacting),
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  recording = true;
  return {
    close: async () => {
      recording = false;
      await provider.shutdown();
    },
  };
}

// Ids of zeros only are not ids.
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace if it sent a well-formed one, else the beginning of a new one. */
export const traceparentOf = (header: string | undefined): string =>
  header && traceparentPattern.test(header) ? header : `00-${drawHex(16)}-${drawHex(8)}-00`;

const parentOf = (traceparent: string | undefined): Context =>
  traceparent ? propagation.extract(context.active(), { traceparent }) : context.active();

/** The traceparent that an event written now should carry. */
export function currentTraceparent(): string | undefined {
  if (!recording) return undefined;
  const carrier: { traceparent?: string } = {};
  propagation.inject(context.active(), carrier);
  return carrier.traceparent;
}

/** Does the work inside a span. Costs one comparison where nothing is recorded. */
export async function inSpan<T>(
  name: string,
  spec: { readonly kind?: SpanKind; readonly parent?: string | undefined; readonly attributes?: Attributes },
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!recording) return work(undefined);
  return tracer.startActiveSpan(
    name,
    { kind: spec.kind ?? SpanKind.INTERNAL, attributes: spec.attributes ?? {} },
    parentOf(spec.parent),
    async (span) => {
      try {
        return await work(span);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'error' });
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

/** A span over work that comes in parts. Nothing happens where nothing is recorded. */
export interface OpenSpan {
  within<T>(work: () => Promise<T>): Promise<T>;
  /** The first call counts. */
  end(status: number): void;
}
const unrecorded: OpenSpan = { within: (work) => work(), end: () => undefined };

export function openServerSpan(
  name: string,
  spec: { readonly parent: string | undefined; readonly attributes: Attributes },
): OpenSpan {
  if (!recording) return unrecorded;
  const parent = parentOf(spec.parent);
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes: spec.attributes }, parent);
  const inside = trace.setSpan(parent, span);
  return {
    within: (work) => context.with(inside, work),
    end(status) {
      if (!span.isRecording()) return;
      span.setAttribute('http.response.status_code', status);
      if (status >= firstServerError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
const firstServerError = 500;
