/** How a command ends, for scripts that branch on it. Numbers are added, never changed. */
export const exitCodes = {
  ok: 0,
  client: 1,
  server: 2,
  auth: 3,
  notFound: 4,
  conflict: 5,
  late: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
export const exitMeanings: readonly (readonly [ExitCode, string])[] = [
  [0, 'done'],
  [1, 'wrong request, or a question was answered with no'],
  [2, 'server or network'],
  [3, 'not signed in, or not allowed'],
  [4, 'not found'],
  [5, 'conflict: no capacity, the wrong state, or it failed'],
  [6, 'the wait was over first; what was asked for goes on'],
  [130, 'interrupted'],
];

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

const nextSteps: Readonly<Record<string, string>> = {
  step_up_required: 'Sign in again with gpuaas login --step-up, then repeat the command.',
  project_required: 'Name the project: --project <id>, or gpuaas project use <slug>.',
  rate_limit_exceeded: 'Wait a minute and repeat the command.',
  sku_unavailable: 'Add --queue 2h to wait for it, or look for another with gpuaas sku list.',
  allocation_concurrency_limit: 'Release one first: gpuaas alloc list shows them.',
  allocation_not_active: 'Look at it with gpuaas alloc get <id>, or wait with gpuaas alloc wait <id>.',
  allocation_not_found: 'gpuaas alloc list shows those of the project.',
  sku_not_found: 'gpuaas sku list shows what there is.',
  os_image_not_found: 'gpuaas image list shows what there is.',
  ssh_key_exists: 'It is there already: gpuaas key list.',
  version_conflict: 'Somebody changed it meanwhile: look at it again and repeat the command.',
  node_in_use: 'Drain it first: gpuaas ops node drain <node> --reason <why>.',
};

/** What helps after a refusal, by the code that the server gave. */
export function nextAfter(code: string | undefined, status: number): string | undefined {
  if (code !== undefined && Object.hasOwn(nextSteps, code)) return nextSteps[code];
  if (status === 401) return 'Sign in with gpuaas login.';
  if (status === 403) return 'Ask an administrator of the organization for the role that this needs.';
  if (status >= 500) return 'Try again; if it stays so, give the correlation id to whoever runs the installation.';
  return undefined;
}
