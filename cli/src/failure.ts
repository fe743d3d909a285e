/** Exit codes, for scripts that branch on them. Codes are added, never changed. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  signIn: 4,
  refused: 5,
  conflict: 6,
  capacity: 7,
  limit: 8,
  late: 9,
  server: 10,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
export const exitMeanings: readonly (readonly [ExitCode, string])[] = [
  [0, 'done'],
  [1, 'failure'],
  [2, 'usage error, or a confirmation was declined or not possible'],
  [3, 'not found'],
  [4, 'not signed in'],
  [5, 'not allowed'],
  [6, 'conflict: wrong state, or changed in the meantime'],
  [7, 'no capacity'],
  [8, 'over a limit or a quota'],
  [9, 'the wait timed out; the operation continues'],
  [10, 'server or network'],
  [130, 'interrupted'],
];

/** A failure for the person: what happened, and what to do next. */
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

export const usageFailure = (message: string, next = 'gpuaas --help shows the usage.'): Failure =>
  new Failure(exitCodes.usage, message, { next });

/** Refusals that have an exit code of their own although they share a status. */
const byCode: Readonly<Record<string, ExitCode>> = {
  sku_unavailable: exitCodes.capacity,
  allocation_concurrency_limit: exitCodes.limit,
  organization_gpu_limit: exitCodes.limit,
  insufficient_balance: exitCodes.limit,
  rate_limit_exceeded: exitCodes.limit,
  ssh_key_limit: exitCodes.limit,
  terminal_session_limit: exitCodes.limit,
};

export function exitCodeOf(status: number, code?: string): ExitCode {
  if (code !== undefined && Object.hasOwn(byCode, code)) return byCode[code] as ExitCode;
  if (status < 400) return exitCodes.ok;
  if (status === 401) return exitCodes.signIn;
  if (status === 403) return exitCodes.refused;
  if (status === 404) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 400 || status === 422) return exitCodes.usage;
  return status >= 500 || status === 429 ? exitCodes.server : exitCodes.failed;
}

const nextSteps: Readonly<Record<string, string>> = {
  admin_required: 'This needs a platform role: sign in as an operator; --profile keeps both sign-ins.',
  step_up_required: 'Confirm your identity with gpuaas login --step-up, then repeat the command.',
  project_required: 'Name the project: --project <id>, or gpuaas project use <slug>.',
  rate_limit_exceeded: 'Wait a minute and repeat the command.',
  sku_unavailable: 'Add --queue 2h to wait for capacity, or choose another SKU with gpuaas sku list.',
  allocation_concurrency_limit: 'Release one first: gpuaas alloc list shows them.',
  organization_gpu_limit:
    'Release some GPUs of the organization, or ask the operator of the platform for a higher limit.',
  allocation_not_active: 'Look at it with gpuaas alloc get <id>, or wait with gpuaas alloc wait <id>.',
  allocation_not_found: 'gpuaas alloc list shows those of the project.',
  sku_not_found: 'gpuaas sku list shows all SKUs.',
  os_image_not_found: 'gpuaas image list shows all images.',
  ssh_key_exists: 'The key exists already: gpuaas key list.',
  version_conflict: 'It was changed in the meantime: read it again and repeat the command.',
  terminal_session_in_use: 'Add --take-over to type there, or --read-only to watch it.',
  terminal_session_limit: 'End one: gpuaas terminal-sessions <id> shows them.',
  node_in_use: 'Drain it first: gpuaas ops node drain <node> --reason <why>.',
};

/** The hint after a refusal, by its error code. */
export function nextAfter(code: string | undefined, status: number, details?: unknown): string | undefined {
  if (code === 'step_up_required' && (details as { second_factor?: unknown } | null)?.second_factor === true) {
    return 'Confirm your identity with gpuaas login --second-factor, then repeat the command.';
  }
  if (code !== undefined && Object.hasOwn(nextSteps, code)) return nextSteps[code];
  if (status === 401) return 'Sign in with gpuaas login.';
  if (status === 403) return 'Ask an administrator of the organization for the required role.';
  if (status === 400 || status === 422) return '--help shows the options, --explain shows the request.';
  if (status >= 500)
    return 'Try again. If it keeps failing, give the correlation id to the operator of the installation.';
  return undefined;
}
