/** How a command ends, for scripts that branch on it. */
export const exitCodes = { ok: 0, client: 1, server: 2, auth: 3, notFound: 4, conflict: 5 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something that the person should hear of: what happened, and what to do next. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  readonly correlationId: string | undefined;
  constructor(
    exitCode: ExitCode,
    message: string,
    more: { readonly next?: string | undefined; readonly correlationId?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.exitCode = exitCode;
    this.next = more.next;
    this.correlationId = more.correlationId;
  }
}

export const usageFailure = (message: string, next = 'gpuaas --help shows how.'): Failure =>
  new Failure(exitCodes.client, message, { next });

export function exitCodeOf(status: number): ExitCode {
  if (status < 400) return exitCodes.ok;
  if (status === 401 || status === 403) return exitCodes.auth;
  if (status === 404) return exitCodes.notFound;
  if (status === 409) return exitCodes.conflict;
  return status >= 500 || status === 429 ? exitCodes.server : exitCodes.client;
}

/** What helps after a refusal, by the code that the server gave. */
export function nextAfter(code: string | undefined, status: number): string | undefined {
  switch (code) {
    case 'step_up_required':
      return 'Sign in again with gpuaas login --step-up, then repeat the command.';
    case 'project_required':
      return 'Name the project: --project <id>.';
    case 'rate_limit_exceeded':
      return 'Wait a minute and repeat the command.';
    default:
      break;
  }
  if (status === 401) return 'Sign in with gpuaas login.';
  if (status === 403) return 'Ask an administrator of the organization for the role that this needs.';
  if (status >= 500) return 'Try again; if it stays so, give the correlation id to whoever runs the installation.';
  return undefined;
}
