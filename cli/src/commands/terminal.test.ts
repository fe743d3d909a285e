import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { makeEscape } from '../input/escape.ts';
import { runCommandLine } from '../main.ts';

const allocation = '01935a2c-0000-7000-8000-0000000000aa';
const sessionId = '01935a2c-0000-7000-8000-0000000000bb';
const bytes = (text: string) => new TextEncoder().encode(text);

/** A gateway for one connection after another: what each does once it hears hello. */
type Act = (socket: Gateway) => void;
class Gateway {
  static acts: Act[] = [];
  static opened: Gateway[] = [];
  readonly url: string;
  readonly protocols: readonly string[];
  readonly texts: Record<string, unknown>[] = [];
  typed = '';
  readyState = 1;
  binaryType = 'blob';
  onopen: () => void = () => undefined;
  onmessage: (event: { data: unknown }) => void = () => undefined;
  onclose: (event: { code: number }) => void = () => undefined;
  constructor(url: string, protocols: readonly string[]) {
    this.url = url;
    this.protocols = protocols;
    Gateway.opened.push(this);
    queueMicrotask(() => this.onopen());
  }
  send(data: unknown) {
    if (typeof data !== 'string') {
      this.typed += new TextDecoder().decode(data as Uint8Array);
      return;
    }
    const frame = JSON.parse(data) as { type: string };
    this.texts.push(frame);
    if (frame.type === 'hello') Gateway.acts.shift()?.(this);
  }
  ready(from: number) {
    const facts = { role: 'writer', pid: 7, ends_at: '', recording: 'off', simulated: true, name: 'shell 1' };
    this.say({ type: 'ready', session_id: sessionId, from, ...facts });
  }
  say(frame: object) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
  print(text: string) {
    this.onmessage({ data: bytes(text).buffer });
  }
  close(code: number) {
    this.readyState = 3;
    queueMicrotask(() => this.onclose({ code }));
  }
}

async function run(acts: readonly Act[], args: readonly string[] = [], mint: (asked: number) => Response = minted) {
  Gateway.acts = [...acts];
  Gateway.opened = [];
  const wishes: Record<string, unknown>[] = [];
  const raw: boolean[] = [];
  let [out, err] = ['', ''];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (is: boolean) => raw.push(is) });
  const write = (chunk: string | Uint8Array) => {
    out += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
  };
  const code = await runCommandLine(['terminal', allocation, ...args], {
    env: { HOME: '/nonexistent', GPUAAS_BASE_URL: 'http://127.0.0.1:1', GPUAAS_TOKEN: 'secret-token' },
    stdin: input as never,
    stdout: { isTTY: true, columns: 132, rows: 43, write } as never,
    stderr: { isTTY: true, write: (text) => (err += text) },
    parts: {
      now: () => Date.parse('2026-11-15T12:00:00Z'),
      newKey: () => 'key-1',
      sleep: async () => undefined,
      WebSocket: Gateway as never,
      fetch: async (_, init) => {
        wishes.push(JSON.parse(String(init?.body)) as Record<string, unknown>);
        return mint(wishes.length);
      },
    },
  });
  return { code, out, err, wishes, raw, input, sockets: Gateway.opened };
}
const minted = (asked: number) =>
  Response.json(
    {
      ...{ token: String(asked).padStart(64, 'a'), session_id: sessionId, name: 'shell 1', role: 'writer' },
      ...{ url: `wss://terminal.test/ws/terminal/${allocation}`, expires_at: '', recording: 'off' },
    },
    { status: 201 },
  );
const exits =
  (code: number): Act =>
  (socket) => {
    socket.ready(0);
    socket.print('hello from the shell\r\n');
    socket.say({ type: 'exit', code });
    socket.close(1000);
  };

describe('gpuaas terminal', () => {
  it('shows the shell and exits with its code; the token is in a header, the screen is as before', async () => {
    const { code, out, wishes, raw, sockets } = await run([exits(3)]);
    expect(code).toBe(3);
    expect(out).toContain('hello from the shell');
    expect(wishes).toEqual([{ mode: 'open', columns: 132, rows: 43 }]);
    expect(sockets[0]?.protocols).toEqual(['gpuaas.terminal.v1', '1'.padStart(64, 'a')]);
    expect(sockets[0]?.url).not.toContain('aaaa');
    expect(sockets[0]?.texts[0]).toEqual({ type: 'hello', from: 0, columns: 132, rows: 43 });
    expect(raw).toEqual([true, false]);
  });

  it('connects again after a lost connection, to the same session, from where it was', async () => {
    const lost: Act = (socket) => {
      socket.ready(0);
      socket.print('12345');
      socket.close(1006);
    };
    const back: Act = (socket) => {
      socket.ready(5);
      socket.print('6789');
      socket.say({ type: 'exit', code: 0 });
      socket.close(1000);
    };
    const { code, out, wishes, sockets } = await run([lost, back]);
    expect(code).toBe(0);
    expect(out).toBe('123456789');
    expect(wishes[1]).toMatchObject({ mode: 'take_over', session_id: sessionId });
    expect(sockets[1]?.texts[0]).toMatchObject({ type: 'hello', from: 5 });
  });

  it('stops with the sentence of the close code when there is nothing to come back to', async () => {
    const taken: Act = (socket) => {
      socket.ready(0);
      socket.close(4409);
    };
    const { code, err, wishes } = await run([taken]);
    expect(code).toBe(1);
    expect(err).toContain('You opened this terminal in another place');
    expect(wishes).toHaveLength(1);
  });

  it('acknowledges what it has read, every 64 KiB', async () => {
    const flood: Act = (socket) => {
      socket.ready(0);
      for (let piece = 0; piece < 5; piece += 1) socket.print('x'.repeat(32_768));
      socket.close(1000);
    };
    const { sockets } = await run([flood]);
    expect(sockets[0]?.texts.slice(1)).toEqual([
      { type: 'ack', offset: 65_536 },
      { type: 'ack', offset: 131_072 },
    ]);
  });

  it('says what to do when another client types there', async () => {
    const refusal = { code: 'terminal_session_in_use', message: 'Another client types into it.', correlation_id: 'c' };
    const { code, err } = await run([], ['--session', sessionId], () => Response.json(refusal, { status: 409 }));
    expect(code).toBe(6);
    expect(err).toContain('--take-over');
  });
});

describe('~. at the beginning of a line', () => {
  const typed = (...pieces: readonly string[]) => {
    let [passed, hasLeft] = ['', false];
    const read = makeEscape({
      pass: (each) => {
        passed += new TextDecoder().decode(each);
      },
      leave: () => {
        hasLeft = true;
      },
    });
    for (const piece of pieces) read(bytes(piece));
    return { passed, hasLeft };
  };
  it.each([
    [['~.'], '', true],
    [['ls\r', '~', '.'], 'ls\r', true],
    [['a~.'], 'a~.', false],
    [['~~.'], '~.', false],
    [['~', 'x'], '~x', false],
    [['\r~\r~.'], '\r~\r', true],
  ])('%j passes %j', (pieces, passed, hasLeft) => {
    expect(typed(...pieces)).toEqual({ passed, hasLeft });
  });
});
