import type { ErrorCode } from '@gpuaas/contract';

/** An expected refusal. Bugs and outages throw; refusals are returned, and the route declares their codes. */
export class Fault<C extends ErrorCode = ErrorCode> extends Error {
  readonly code: C;
  readonly details: object | undefined;
  constructor(code: C, message: string, details?: object) {
    super(message);
    this.name = 'Fault';
    this.code = code;
    this.details = details;
  }
}
