import pg from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';

/** One connection that hears every channel, and comes back by itself. */
export function makeListener(parts: { readonly url: string; readonly clock: Clock; readonly log: Log }) {
  const listeners = new Map<string, Set<(payload: string) => void>>();
  const closing = new AbortController();
  let client: pg.Client | undefined;
  let opening: Promise<void> | undefined;

  const tell = (channel: string, payload: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(payload);
  };

  async function open(): Promise<void> {
    const fresh = new pg.Client({ connectionString: parts.url, application_name: 'gpuaas listen', keepAlive: true });
    fresh.on('notification', ({ channel, payload }) => tell(channel, payload ?? ''));
    let gone = false;
    const reopen = () => {
      if (gone || closing.signal.aborted) return;
      gone = true;
      client = undefined;
      opening = comeBack();
    };
    fresh.on('error', reopen);
    fresh.on('end', reopen);
    await fresh.connect();
    client = fresh;
    for (const channel of listeners.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`);
  }

  async function comeBack(): Promise<void> {
    for (let delayMs = 50; !closing.signal.aborted; delayMs = Math.min(delayMs * 2, 2_000)) {
      try {
        await open();
        for (const channel of listeners.keys()) tell(channel, '');
        return;
      } catch (error) {
        parts.log.warn({ err: error }, 'the listening connection is gone; trying again');
        await parts.clock.sleep(delayMs, closing.signal).catch(() => undefined);
      }
    }
  }

  return {
    async listen(channel: string, listener: (payload: string) => void) {
      const known = listeners.get(channel);
      if (known) known.add(listener);
      else {
        listeners.set(channel, new Set([listener]));
        opening ??= open();
        await opening;
        await client?.query(`listen ${pg.escapeIdentifier(channel)}`);
      }
      return {
        close: async () => {
          listeners.get(channel)?.delete(listener);
        },
      };
    },
    async close() {
      closing.abort(new Error('closed'));
      await opening?.catch(() => undefined);
      await client?.end().catch(() => undefined);
    },
  };
}
