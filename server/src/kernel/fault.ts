import diagnostics from 'node:diagnostics_channel';
import type { ErrorCode } from '@gpuaas/contract';

/** Something we depend on does not answer. Thrown, logged with its cause, and answered with 503: it may be back soon. */
export class Outage extends Error {
  override readonly name = 'Outage';
}

/** Every refusal is announced here. Tests listen, to know which codes were ever produced; nothing of the product does. */
export const refusals = diagnostics.channel('gpuaas.refusal');

/** An expected refusal. Bugs and outages throw; refusals are returned, and the route declares their codes. */
export class Fault<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly details: object | undefined;
  constructor(code: C, message: string, details?: object) {
    super(message);
    this.name = 'Fault';
    this.code = code;
    this.details = details;
    if (refusals.hasSubscribers) refusals.publish(this);
  }
}
