import type { Attributes } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { redact, redactText } from './redact.ts';

/** A processor that is handed spans without the secrets in their attributes, events and messages. */
export const redacting = (inner: SpanProcessor): SpanProcessor => ({
  onStart: (span, context) => inner.onStart(span, context),
  onEnd: (span) => inner.onEnd(withoutSecrets(span)),
  forceFlush: () => inner.forceFlush(),
  shutdown: () => inner.shutdown(),
});

const clean = (attributes: Attributes): Attributes => redact(attributes) as Attributes;

/** The span as it is, except for what a secret could hide in. */
function withoutSecrets(span: ReadableSpan): ReadableSpan {
  const { status } = span;
  return Object.create(span, {
    name: { value: redactText(span.name), enumerable: true },
    attributes: { value: clean(span.attributes), enumerable: true },
    events: {
      value: span.events.map((event) => ({
        ...event,
        name: redactText(event.name),
        ...(event.attributes && { attributes: clean(event.attributes) }),
      })),
      enumerable: true,
    },
    links: {
      value: span.links.map((link) => ({ ...link, ...(link.attributes && { attributes: clean(link.attributes) }) })),
      enumerable: true,
    },
    status: {
      value: { ...status, ...(status.message && { message: redactText(status.message) }) },
      enumerable: true,
    },
  }) as ReadableSpan;
}
