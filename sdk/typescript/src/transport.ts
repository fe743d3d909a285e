import type { CallOptions, OperationFacts } from './operation.ts';
import { GpuaasUnreachable, readProblem } from './problem.ts';

export interface ClientOptions {
  /** Where the installation is: `http://localhost:8443`. */
  readonly baseUrl: string;
  /** A token, or where to get one: asked for each call, so that it may be renewed. */
  readonly token?: string | (() => string | Promise<string>);
  /** For what is about a project, unless a call says otherwise. */
  readonly project?: string | undefined;
  /** How often a call is tried in all; what is not safe to repeat is tried once. */
  readonly attempts?: number;
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** Instead of the global one: for tests, proxies and recorders. */
  readonly fetch?: typeof fetch;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
  readonly newKey?: () => string;
}
export interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Blob | undefined;
}

const defaultAttempts = 4;
const defaultTimeoutMs = 30_000;
/** A file takes as long as its line needs. */
const uploadTimeoutMs = 600_000;
const firstPauseMs = 250;
const longestPauseMs = 10_000;
/** Answers after which the same call may be sent again: nothing happened, or it happens once by its key. */
const passing: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Sends requests and tries again where that is safe. One call keeps its Idempotency-Key through all of its tries. */
export function makeTransport(options: ClientOptions) {
  const send = options.fetch ?? fetch;
  const sleep = options.sleep ?? pause;
  const random = options.random ?? Math.random;

  const requestOf = (facts: OperationFacts, input: Readonly<Record<string, unknown>>, call: CallOptions): Request => {
    const rest = { ...input };
    const path = facts.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
      const value = rest[name];
      delete rest[name];
      if (value === undefined || value === '') throw new TypeError(`${name} is missing`);
      return encodeURIComponent(String(value));
    });
    const query = new URLSearchParams();
    for (const name of facts.query ?? []) {
      if (rest[name] !== undefined) query.set(name, String(rest[name]));
      delete rest[name];
    }
    const project = call.project ?? options.project;
    // What is removed says why only where the operation asks for it.
    const isBare = facts.method === 'DELETE' && !facts.body && Object.keys(rest).length === 0;
    const hasBody = facts.method !== 'GET' && !isBare;
    return {
      method: facts.method,
      url: `${options.baseUrl.replace(/\/+$/, '')}${path}${query.size > 0 ? `?${query}` : ''}`,
      headers: {
        accept: facts.text ? '*/*' : 'application/json',
        ...(options.userAgent !== undefined && { 'user-agent': options.userAgent }),
        ...(call.requestId !== undefined && { 'x-request-id': call.requestId }),
        ...(facts.inProject && project !== undefined && { 'x-project-id': project }),
        ...(facts.keyed && { 'idempotency-key': call.idempotencyKey ?? options.newKey?.() ?? crypto.randomUUID() }),
        ...(hasBody && {
          'content-type': facts.upload === undefined ? 'application/json' : 'application/octet-stream',
        }),
      },
      body: facts.upload !== undefined ? fileOf(rest, facts.upload) : hasBody ? JSON.stringify(rest) : undefined,
    };
  };

  async function once(request: Request, call: CallOptions, endless: boolean): Promise<Response> {
    const token = typeof options.token === 'function' ? await options.token() : options.token;
    const usualMs = request.body instanceof Blob ? uploadTimeoutMs : (options.timeoutMs ?? defaultTimeoutMs);
    const limit = AbortSignal.timeout(call.timeoutMs ?? usualMs);
    const signals = [...(call.signal ? [call.signal] : []), ...(endless ? [] : [limit])];
    try {
      return await send(request.url, {
        method: request.method,
        headers: { ...request.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        ...(request.body !== undefined && { body: request.body }),
        ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
      });
    } catch (error) {
      call.signal?.throwIfAborted();
      throw new GpuaasUnreachable(`${new URL(request.url).origin} does not answer. Is the address right?`, error);
    }
  }

  async function deliver(facts: OperationFacts, request: Request, call: CallOptions): Promise<Response> {
    // Without a key only a look may be repeated: nobody knows what became of anything else.
    const safe = facts.method === 'GET' || facts.keyed === true;
    const attempts = safe ? (options.attempts ?? defaultAttempts) : 1;
    for (let attempt = 1; ; attempt += 1) {
      let after: number | undefined;
      try {
        const response = await once(request, call, facts.stream === true);
        if (response.ok) return response;
        const problem = await readProblem(response);
        const waits = passing.has(problem.status) || problem.code === 'idempotency_in_progress';
        if (!waits || attempt >= attempts) throw problem;
        after = retryAfterMs(response.headers.get('retry-after'));
      } catch (error) {
        if (!(error instanceof GpuaasUnreachable) || attempt >= attempts) throw error;
      }
      // Half of the pause is chance, so that many who were refused together do not come back together.
      const backoff = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
      await sleep(after ?? backoff * (0.5 + random() / 2), call.signal);
    }
  }
  return { requestOf, deliver, sleep };
}
export type Transport = ReturnType<typeof makeTransport>;

/** A Blob can be read again for another try, and one over a file is never whole in memory. */
function fileOf(input: Readonly<Record<string, unknown>>, name: string): Blob {
  const file = input[name];
  if (!(file instanceof Blob)) throw new TypeError(`${name} is not a Blob; in Node, fs.openAsBlob(path) makes one`);
  return file;
}

/** Seconds, or a date; never longer than is sensible to hold a call for. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(60_000, Math.max(0, ms)) : undefined;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
