import { type ErrorCode, errorCodes } from './generated/errors.ts';

/** A refusal, by the code of the catalogue. `code` narrows; `correlationId` finds the request in everybody's logs. */
export class GpuaasError extends Error {
  override readonly name: string = 'GpuaasError';
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  readonly correlationId: string | undefined;
  readonly details: unknown;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  constructor(problem: {
    readonly code: string;
    readonly message: string;
    readonly status: number;
    readonly correlationId?: string | undefined;
    readonly details?: unknown;
  }) {
    super(problem.message);
    this.code = problem.code;
    this.status = problem.status;
    this.correlationId = problem.correlationId;
    this.details = problem.details;
    const known = Object.hasOwn(errorCodes, problem.code) ? errorCodes[problem.code as ErrorCode] : undefined;
    this.retryable = known?.retryable ?? problem.status >= 500;
  }
  is<C extends ErrorCode>(code: C): this is GpuaasError & { readonly code: C } {
    return this.code === code;
  }
}

/** Nobody answered: the address is wrong, the network is gone, or it took too long. */
export class GpuaasUnreachable extends Error {
  override readonly name = 'GpuaasUnreachable';
  constructor(what: string, cause: unknown) {
    super(what, { cause });
  }
}

/** Reads a refusal. Whatever a proxy on the way says instead is shown as far as it helps. */
export async function readProblem(response: Response): Promise<GpuaasError> {
  const text = await response.text().catch(() => '');
  const correlationId = response.headers.get('x-request-id') ?? undefined;
  try {
    const body = JSON.parse(text) as { code?: unknown; message?: unknown; correlation_id?: string; details?: unknown };
    if (typeof body.code === 'string' && typeof body.message === 'string') {
      return new GpuaasError({
        code: body.code,
        message: body.message,
        status: response.status,
        correlationId: body.correlation_id ?? correlationId,
        details: body.details,
      });
    }
  } catch {
    // Not ours, then.
  }
  return new GpuaasError({
    code: 'upstream_error',
    message: `The answer was ${response.status} ${response.statusText} and no problem of ours: ${text.slice(0, 200)}`,
    status: response.status,
    correlationId,
  });
}
