import type { ServerResponse } from 'node:http';
import type { NodeTask } from '@gpuaas/contract/node';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';

/**
 * Where nodes wait for work. Ten thousand of them cost a map entry each: there is no timer, no connection and no query
 * per node. Whoever arrives is looked up together with all who arrived meanwhile, in one statement; whoever is woken by
 * a commit gets its task from one transaction that serves all who were woken together; and one look over the whole room
 * every few seconds finds what a lost wake-up left behind.
 */
export interface WaitingRoom {
  /** Holds the answer until there is a task, or until its time is over. A node waits once: its older question ends. */
  wait(nodeId: string, response: ServerResponse): void;
  /** The payload of a wake-up: ids joined by commas. Nothing means that something may have been missed. */
  wake(payload: string): void;
  /** Answers those who have waited long enough, and looks for what was missed. */
  tick(): Promise<void>;
  /** Sends a node away, as one that may not wait any more. */
  dismiss(nodeId: string): void;
  readonly size: number;
  close(): Promise<void>;
}
interface Waiter {
  readonly response: ServerResponse;
  readonly untilMs: number;
}

const maxWaitMs = 30_000;
/** Questions that came together do not end together. */
const spreadMs = 5_000;
const lookAllEveryMs = 4_000;

export function openWaitingRoom(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly pending: (nodeIds: readonly string[]) => Promise<string[]>;
  readonly dispatch: (nodeIds: readonly string[]) => Promise<Map<string, NodeTask>>;
}): WaitingRoom {
  const { clock, log } = parts;
  const room = new Map<string, Waiter>();
  let arrived = new Set<string>();
  let woken = new Set<string>();
  let working: Promise<void> | undefined;
  let lookedAllAtMs = 0;
  let counter = 0;

  const end = (nodeId: string, waiter: Waiter) => {
    if (room.get(nodeId) === waiter) room.delete(nodeId);
    if (!waiter.response.headersSent) waiter.response.writeHead(204).end();
  };

  async function work(): Promise<void> {
    while (arrived.size > 0 || woken.size > 0) {
      try {
        if (arrived.size > 0) {
          const asking = [...arrived].filter((nodeId) => room.has(nodeId));
          arrived = new Set();
          for (const nodeId of await parts.pending(asking)) woken.add(nodeId);
        }
        const due = [...woken].filter((nodeId) => room.has(nodeId));
        woken = new Set();
        if (due.length > 0) hand(await parts.dispatch(due));
      } catch (error) {
        // They stay in the room: the next look over all of them tries again.
        log.warn({ err: error }, 'tasks could not be handed out');
      }
    }
  }
  function hand(tasks: ReadonlyMap<string, NodeTask>): void {
    for (const [nodeId, task] of tasks) {
      const waiter = room.get(nodeId);
      // Gone meanwhile: it is handed out again when the node asks and does not report it as running.
      if (!waiter) continue;
      room.delete(nodeId);
      const text = JSON.stringify(task);
      waiter.response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      });
      waiter.response.end(text);
    }
  }
  const go = () => {
    if (working || (arrived.size === 0 && woken.size === 0)) return;
    working = work().finally(() => {
      working = undefined;
      go();
    });
  };

  return {
    get size() {
      return room.size;
    },
    wait(nodeId, response) {
      const earlier = room.get(nodeId);
      if (earlier) end(nodeId, earlier);
      counter = (counter + 1) % spreadMs;
      const waiter = { response, untilMs: clock.now().getTime() + maxWaitMs - counter };
      room.set(nodeId, waiter);
      response.once('close', () => {
        if (room.get(nodeId) === waiter) room.delete(nodeId);
      });
      arrived.add(nodeId);
      go();
    },
    wake(payload) {
      if (payload === '') for (const nodeId of room.keys()) arrived.add(nodeId);
      else for (const nodeId of payload.split(',')) if (room.has(nodeId)) woken.add(nodeId);
      go();
    },
    async tick() {
      const nowMs = clock.now().getTime();
      for (const [nodeId, waiter] of room) if (waiter.untilMs <= nowMs) end(nodeId, waiter);
      if (nowMs - lookedAllAtMs < lookAllEveryMs) return;
      lookedAllAtMs = nowMs;
      for (const nodeId of room.keys()) arrived.add(nodeId);
      go();
      await working;
    },
    dismiss(nodeId) {
      const waiter = room.get(nodeId);
      if (waiter) end(nodeId, waiter);
    },
    async close() {
      for (const [nodeId, waiter] of room) end(nodeId, waiter);
      await working;
    },
  };
}
