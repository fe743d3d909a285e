import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openGpuaas } from './client.ts';
import { spaces } from './generated/operations.ts';
import { GpuaasError, GpuaasUnreachable } from './problem.ts';

interface Case {
  readonly name: string;
  readonly call: { readonly operation: string; readonly input: object; readonly all?: boolean };
  readonly exchange: readonly {
    readonly expect: {
      readonly method: string;
      readonly path: string;
      readonly headers?: Record<string, string>;
      readonly absent?: readonly string[];
      readonly body?: unknown;
    };
    readonly answer: {
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
      readonly text?: string;
    };
  }[];
  readonly sleeps?: readonly number[];
  readonly result?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
}
const vectors = new URL('../../vectors/calls.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(vectors, 'utf8')) as { cases: readonly Case[] };
const baseUrl = 'http://gpuaas.test';

/** A wire that knows what comes and what it answers. */
function rehearse({ exchange }: Pick<Case, 'exchange'>) {
  const script = [...exchange];
  const sleeps: number[] = [];
  const client = openGpuaas({
    baseUrl,
    token: async () => 'the-token',
    project: 'the-project',
    newKey: () => 'key-1',
    random: () => 1,
    sleep: async (ms) => void sleeps.push(ms),
    fetch: async (url, init) => {
      const turn = script.shift();
      if (!turn) throw new Error(`nobody expected ${init?.method} ${url}`);
      const sent = new Headers(init?.headers);
      expect(`${init?.method} ${String(url).slice(baseUrl.length)}`).toBe(`${turn.expect.method} ${turn.expect.path}`);
      for (const [name, value] of Object.entries(turn.expect.headers ?? {})) expect(sent.get(name), name).toBe(value);
      for (const name of turn.expect.absent ?? []) expect(sent.has(name), name).toBe(false);
      if (turn.expect.body !== undefined) {
        expect(init?.body === undefined ? null : JSON.parse(String(init.body))).toEqual(turn.expect.body);
      }
      const { status, headers = {}, body, text } = turn.answer;
      return new Response(text ?? JSON.stringify(body), { status, headers });
    },
  });
  return { client, script, sleeps };
}
const methodOf = (client: object, operation: string) => {
  for (const [space, methods] of Object.entries(spaces)) {
    for (const [name, id] of Object.entries(methods)) {
      if (id === operation)
        return (client as Record<string, Record<string, (...given: object[]) => unknown>>)[space]?.[name];
    }
  }
  throw new Error(`there is no ${operation}`);
};

describe('a call, by the vectors that all SDKs share', () => {
  it.each(cases.map((each) => [each.name, each] as const))('%s', async (_, each) => {
    const { client, script, sleeps } = rehearse(each);
    const run = async (): Promise<unknown> => {
      const answer = methodOf(client, each.call.operation)?.(each.call.input);
      if (!each.call.all) return await answer;
      const rows: unknown[] = [];
      for await (const row of answer as AsyncIterable<unknown>) rows.push(row);
      return rows;
    };
    if (each.error) {
      const error = await run().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(GpuaasError);
      const { correlationId: correlation_id, code, status, message, details, retryable } = error as GpuaasError;
      expect({ correlation_id, code, status, message, details, retryable }).toMatchObject(each.error);
    } else {
      expect(await run()).toEqual(each.result);
    }
    expect(script).toEqual([]);
    if (each.sleeps) expect(sleeps).toEqual(each.sleeps);
  });
});

describe('a client', () => {
  it('says where it looked when nobody answers, after it tried again', async () => {
    let tries = 0;
    const client = openGpuaas({
      baseUrl,
      sleep: async () => undefined,
      fetch: async () => {
        tries += 1;
        throw new TypeError('fetch failed');
      },
    });
    const error = await client.me.get().then(null, (caught: unknown) => caught);
    expect(error).toBeInstanceOf(GpuaasUnreachable);
    expect(String(error)).toContain('http://gpuaas.test does not answer');
    expect(tries).toBe(4);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const client = openGpuaas({
      baseUrl,
      fetch: (_, init) =>
        new Promise((__, reject) => init?.signal?.addEventListener('abort', () => reject(new Error('x')))),
    });
    const call = client.me.get({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  it('refuses a path with a hole in it before it sends anything', async () => {
    const client = openGpuaas({ baseUrl, fetch: async () => new Response('{}') });
    await expect(client.projects.get({ project_id: '' })).rejects.toThrow('project_id is missing');
  });

  it('reaches what has no method of its own', async () => {
    const { client } = rehearse({
      exchange: [
        {
          expect: {
            method: 'POST',
            path: '/api/v1/new/thing?x=1',
            headers: { 'idempotency-key': 'key-1' },
            body: { a: 1 },
          },
          answer: { status: 200, body: { made: true } },
        },
      ],
    });
    expect(await client.call('post', '/api/v1/new/thing?x=1', { a: 1 })).toEqual({ made: true });
  });
});

interface StreamCase {
  readonly name: string;
  readonly from?: string;
  readonly connections: readonly { readonly after: string | null; readonly pieces: readonly string[] }[];
  readonly events: readonly object[];
}
const streams = new URL('../../vectors/streams.json', import.meta.url);
const { cases: streamCases } = JSON.parse(readFileSync(streams, 'utf8')) as { cases: readonly StreamCase[] };

describe('a stream of events, by the vectors that all SDKs share', () => {
  it.each(streamCases.map((each) => [each.name, each] as const))('%s', async (_, { from, connections, events }) => {
    const left = [...connections];
    const client = openGpuaas({
      baseUrl,
      project: 'p',
      sleep: async () => undefined,
      fetch: async (url) => {
        const next = left.shift();
        if (!next) throw new Error('nobody expected another connection');
        expect(new URL(String(url)).searchParams.get('after')).toBe(next.after);
        return new Response(ReadableStream.from(next.pieces.map((piece) => new TextEncoder().encode(piece))));
      },
    });
    const seen: object[] = [];
    for await (const event of client.events.stream(from === undefined ? {} : { after: from })) {
      seen.push(event);
      if (seen.length === events.length) break;
    }
    expect(seen).toEqual(events);
    expect(left).toEqual([]);
  });
});
