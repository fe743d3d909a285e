import type { Log } from '../../../kernel/telemetry/log.ts';
import { type Listening, openListening } from '../../listening.ts';

const firstWithinMs = 10_000;

/** One connection that listens to every channel and reconnects. It is opened on first use. */
export function makeListener(parts: { readonly url: string; readonly log: Log }) {
  const listeners = new Map<string, Set<(payload: string) => void>>();
  let listening: Listening | undefined;

  const tell = (channel: string, payload: string) => {
    for (const listener of listeners.get(channel) ?? []) listener(payload);
  };
  const open = () =>
    openListening({
      url: parts.url,
      name: 'gpuaas listen',
      channels: [],
      heard: tell,
      back: () => {
        for (const channel of listeners.keys()) tell(channel, '');
      },
      log: parts.log,
    });

  return {
    async listen(channel: string, listener: (payload: string) => void) {
      const known = listeners.get(channel);
      const close = async () => void listeners.get(channel)?.delete(listener);
      if (known) {
        known.add(listener);
        return { close };
      }
      listeners.set(channel, new Set([listener]));
      listening ??= open();
      try {
        await listening.add(channel);
        await listening.catchUp(firstWithinMs);
      } catch (error) {
        await close();
        throw error;
      }
      return { close };
    },
    async close() {
      await listening?.close();
    },
  };
}
