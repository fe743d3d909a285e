import type { NatsConnection } from '@nats-io/transport-node';
import type { BusLog } from '../log.ts';

/** Whether the server can be reached, and a word when it can again. */
export function watchLink(nc: NatsConnection, log: BusLog) {
  const onLoss = new Set<() => void>();
  const onReturn = new Set<() => void>();
  let up = true;
  let closed = false;
  const watch = async () => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect') {
        up = false;
        for (const listener of onLoss) listener();
        if (!closed) log.warn({ server: status.server }, 'the bus is gone');
      }
      if (status.type === 'reconnect') {
        up = true;
        log.info({ server: status.server }, 'the bus is back');
        for (const listener of onReturn) listener();
      }
    }
  };
  watch().catch((error: unknown) => log.warn({ err: error }, 'the state of the bus is no longer watched'));
  return {
    up: () => up && !nc.isClosed(),
    onLoss: (listener: () => void) => void onLoss.add(listener),
    onReconnect(listener: () => void) {
      onReturn.add(listener);
      return () => void onReturn.delete(listener);
    },
    close() {
      closed = true;
    },
  };
}
export type Link = ReturnType<typeof watchLink>;
