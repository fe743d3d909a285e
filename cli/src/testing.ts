import { runCommandLine } from './main.ts';

/** One answer of a rehearsed installation: by method and path, in the order in which they come. */
export type Script = Readonly<Record<string, unknown | readonly unknown[]>>;
export interface Refusal {
  readonly refused: number;
  readonly body: unknown;
}
const isRefusal = (answer: unknown): answer is Refusal =>
  typeof answer === 'object' && answer !== null && 'refused' in answer;

export interface Rehearsal {
  readonly isTTY?: boolean;
  readonly env?: Record<string, string>;
  readonly stdin?: string;
  /** Where it was typed; nowhere, unless a test is about that. */
  readonly cwd?: string;
  readonly sleep?: () => Promise<void>;
  /** Called with what Ctrl-C would do. */
  readonly once?: (stop: () => void) => void;
}

/**
 * Runs a command in a rehearsed world: fixed time, fixed keys, answers by heart. A list answers one after the other and
 * stays at its last; what nobody rehearsed is an answer that no test expects.
 */
export async function rehearse(
  args: readonly string[],
  script: Script,
  { isTTY = false, env = {}, stdin = '', cwd, once, sleep = async () => undefined }: Rehearsal = {},
) {
  let [out, err] = ['', ''];
  const asked: { readonly request: string; readonly body: unknown }[] = [];
  const turns = new Map<string, number>();
  const answer = (request: string): Response => {
    const path = request.split('?')[0] ?? request;
    const found = script[request] ?? script[path];
    if (found === undefined)
      return Response.json({ code: 'unrehearsed', message: request, correlation_id: 'c-0' }, { status: 418 });
    const turn = turns.get(path) ?? 0;
    turns.set(path, turn + 1);
    const value = Array.isArray(found) ? (found[Math.min(turn, found.length - 1)] as unknown) : found;
    if (isRefusal(value)) return Response.json(value.body, { status: value.refused });
    return typeof value === 'string' ? new Response(value) : Response.json(value);
  };
  const { Readable } = await import('node:stream');
  const code = await runCommandLine(args, {
    env: { HOME: '/nonexistent', GPUAAS_BASE_URL: 'http://127.0.0.1:1', GPUAAS_TOKEN: 'secret-token', ...env },
    stdin: Object.assign(Readable.from([stdin]), { isTTY }),
    stdout: { isTTY, write: (text) => (out += text) },
    stderr: { isTTY, write: (text) => (err += text) },
    ...(cwd !== undefined && { cwd: () => cwd }),
    ...(once && { once: (_, stop) => once(stop) }),
    parts: {
      now: () => Date.parse('2026-11-15T12:00:00Z'),
      newKey: () => 'key-1',
      sleep,
      fetch: async (url, init) => {
        const { pathname, search } = new URL(String(url));
        const request = `${init?.method ?? 'GET'} ${pathname}${search}`;
        asked.push({ request, body: typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined });
        // Nobody speaks: whoever listens for events is woken by the clock.
        if (pathname.endsWith('/events/stream') && script[`GET ${pathname}`] === undefined) {
          return new Promise<Response>(() => undefined);
        }
        return answer(request);
      },
    },
  });
  return { code, out, err, asked };
}
