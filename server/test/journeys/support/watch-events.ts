import { systemClock } from '../../../src/kernel/clock.ts';

/** What somebody sees who keeps the stream of a project open, as `curl -N` would. */
export interface Watch {
  /** Everything seen about one object so far, in order. */
  seen(about: string): readonly Seen[];
  /** Resolves with the first event of one of these types about the object, seen already or yet to come. */
  until(about: string, ...types: readonly string[]): Promise<Seen>;
  close(): Promise<void>;
}
export interface Seen {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly payload: any;
}

const patienceMs = 60_000;

/** Connected when it resolves: what happens from here on is seen. */
export async function watchEvents(url: string, token: string, projectId: string): Promise<Watch> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/v1/events/stream?types=provisioning`, {
    headers: { authorization: `Bearer ${token}`, 'x-project-id': projectId },
    signal: leaving.signal,
  });
  if (!response.ok || !response.body) throw new Error(`the stream answered ${response.status}`);
  const heard = new Map<string, Seen[]>();
  const ready = Promise.withResolvers<void>();
  let isOver: Error | undefined;
  let news = Promise.withResolvers<void>();
  const tell = () => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  const read = async (body: ReadableStream<Uint8Array>) => {
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      rest += text;
      const frames = rest.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const type = /^event: ?(.*)$/m.exec(frame)?.[1];
        const data = /^data: ?(.*)$/m.exec(frame)?.[1];
        if (type === 'ready') ready.resolve();
        else if (type !== undefined && data !== undefined) {
          const { payload } = JSON.parse(data) as { payload: { allocation_id: string } };
          const about = payload.allocation_id;
          heard.set(about, [...(heard.get(about) ?? []), { type, payload }]);
          tell();
        }
      }
    }
    throw new Error('the stream ended');
  };
  const reading = read(response.body).catch((error: Error) => {
    isOver = error;
    ready.reject(error);
    tell();
  });
  await ready.promise;

  const seen = (about: string) => heard.get(about) ?? [];
  return {
    seen,
    async until(about, ...types) {
      const enough = new AbortController();
      let isLate = false;
      const patience = systemClock.sleep(patienceMs, enough.signal).then(
        () => {
          isLate = true;
        },
        () => undefined,
      );
      try {
        for (;;) {
          const found = seen(about).find(({ type }) => types.includes(type));
          if (found) return found;
          const so = seen(about).map(({ type }) => type);
          if (isOver || isLate) throw new Error(`no ${types.join(' or ')}, only: ${so.join(', ')}`, { cause: isOver });
          await Promise.race([news.promise, patience]);
        }
      } finally {
        enough.abort();
      }
    },
    async close() {
      leaving.abort();
      await reading;
    },
  };
}
