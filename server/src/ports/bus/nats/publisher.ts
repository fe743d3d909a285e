import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { Message, Published } from '../port.ts';

/**
 * Sends messages without waiting for each, and matches the server's answers to them by the subject of the reply. The
 * client's own request would do the same with a timer and two prepared errors per message; this halves the cost.
 */
export interface Publisher {
  /** Rejects when the bus is to blame: no answer, no stream, no room. */
  send(message: Message, text: string): Promise<Published>;
  /** Resolves when every message so far has its answer, or has been given up. */
  settled(): Promise<void>;
  /** Gives up on everything that is still without an answer. */
  abandon(reason: string): void;
  close(): void;
}

interface Waiting {
  readonly sentAt: number;
  resolve(published: Published): void;
  reject(error: Error): void;
}

const MESSAGE_TOO_LARGE = 10054;
const NOBODY_ANSWERS = 503;

export function openPublisher(nc: NatsConnection, options: { readonly timeoutMs: number }): Publisher {
  const inbox = `${createInbox()}.`;
  // In the order of sending, so that the first is always the oldest.
  const waiting = new Map<string, Waiting>();
  let sent = 0;
  let idle = Promise.withResolvers<void>();

  const forget = (token: string): Waiting | undefined => {
    const found = waiting.get(token);
    waiting.delete(token);
    if (waiting.size === 0) idle.resolve();
    return found;
  };
  const abandon = (reason: string) => {
    for (const [token, { reject }] of waiting) {
      waiting.delete(token);
      reject(new Error(reason));
    }
    idle.resolve();
  };

  const answers = nc.subscribe(`${inbox}*`, {
    callback(error, msg) {
      const asked = forget(msg.subject.slice(inbox.length));
      if (!asked) return;
      const answer = error ?? readAnswer(msg);
      if (answer instanceof Error) asked.reject(answer);
      else asked.resolve(answer);
    },
  });
  const watch = setInterval(() => {
    const oldest = waiting.values().next().value;
    if (oldest && performance.now() - oldest.sentAt > options.timeoutMs) abandon('the bus did not answer in time');
  }, options.timeoutMs / 4);
  watch.unref();

  return {
    send: (message, text) =>
      new Promise((resolve, reject) => {
        const token = (sent++).toString(36);
        const attributes = headers();
        attributes.set('Nats-Msg-Id', message.id);
        attributes.set('Gpuaas-Key', encodeURIComponent(message.key));
        nc.publish(message.subject, text, { headers: attributes, reply: inbox + token });
        if (waiting.size === 0) idle = Promise.withResolvers();
        waiting.set(token, { sentAt: performance.now(), resolve, reject });
      }),
    settled: () => (waiting.size === 0 ? Promise.resolve() : idle.promise),
    abandon,
    close() {
      clearInterval(watch);
      answers.unsubscribe();
      abandon('the bus was closed');
    },
  };
}

function readAnswer(msg: Msg): Published | Error {
  if (msg.headers?.code === NOBODY_ANSWERS) return new Error(`no stream of the server keeps it`);
  const { stream, duplicate, error } = msg.json<{
    stream?: string;
    duplicate?: boolean;
    error?: { err_code?: number; description?: string };
  }>();
  if (error?.err_code === MESSAGE_TOO_LARGE) return { refused: error.description ?? 'the server finds it too large' };
  if (error || !stream) return new Error(error?.description ?? 'the server gave an answer of an unknown kind');
  return duplicate ? 'duplicate' : 'stored';
}
