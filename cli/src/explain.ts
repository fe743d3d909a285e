import type { Session } from './command.ts';
import { exitCodes, Failure } from './failure.ts';

/** Thrown instead of a request that would change something, in a dry run. */
export class NothingDone extends Failure {
  constructor() {
    super(exitCodes.ok, 'Nothing was changed: this was a dry run.');
  }
}

/** Whether the method only reads. */
const looks = (method: string, url: string): boolean =>
  method === 'GET' || new URL(url).pathname.endsWith('/api/v1/allocations/plan');

/** Prints a request as a curl command, for --explain; stops it, for --dry-run. */
export function explainRequest(session: Session, url: string, init: RequestInit): void {
  const method = init.method ?? 'GET';
  const isDry = session.is('dry-run') && !looks(method, url);
  if (session.is('explain') || isDry) session.around.stderr.write(`${curlOf(method, url, init)}\n`);
  if (isDry) throw new NothingDone();
}

export function curlOf(method: string, url: string, init: RequestInit): string {
  const headers = Object.entries((init.headers ?? {}) as Record<string, string>)
    .filter(([name]) => name !== 'user-agent' && name !== 'accept')
    .map(([name, value]) =>
      // Double quotes: the shell inserts the token, so it is never printed.
      name === 'authorization' ? '-H "authorization: Bearer $GPUAAS_TOKEN"' : `-H ${quote(`${name}: ${value}`)}`,
    );
  const body = typeof init.body === 'string' ? [`-d ${quote(init.body)}`] : [];
  return ['curl -sS', ...(method === 'GET' ? [] : [`-X ${method}`]), quote(url), ...headers, ...body].join(' ');
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
