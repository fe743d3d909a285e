import type { NodeTask } from '@gpuaas/contract/node';
import type { Asking, Dispatch } from '../../domains/nodes/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';
import { HandOut, type Waiter } from './hand-out.ts';

/**
 * Where nodes wait for work. Ten thousand of them cost a map entry each: there is no timer, connection or query per
 * node. Nodes that arrive together are looked up in one statement; nodes that a commit wakes together get their tasks
 * in one transaction. Both run independently: woken nodes have a task to fetch, arriving ones nearly never. One query
 * every few seconds finds what a lost wake-up left behind, at a cost that does not depend on the number of nodes.
 */
export interface WaitingRoom {
  /**
   * Calls back once: with a task, or with nothing when the time is over. A node waits once: its older poll ends. The
   * returned function cancels without a callback.
   */
  wait(asking: Asking, holdMs: number, answer: (task: NodeTask | undefined) => void): () => void;
  /** The payload of a wake-up: ids joined by commas. Nothing means that something may have been missed. */
  wake(payload: string): void;
  /** Answers polls whose time is over, and looks for missed tasks. */
  tick(): Promise<void>;
  /** Sends a node away, as one that may not wait any more. */
  dismiss(nodeId: string): void;
  readonly size: number;
  close(): Promise<void>;
}
/** Questions that came together do not end together. */
const spreadMs = 5_000;
const lookAllEveryMs = 4_000;

export function openWaitingRoom(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: Dispatch;
}): WaitingRoom {
  const { clock } = parts;
  const room = new Map<string, Waiter>();
  const tasks = new HandOut(room, parts);
  let lookedAllAtMs = 0;
  let counter = 0;

  const end = (nodeId: string, waiter: Waiter) => {
    room.delete(nodeId);
    waiter.answer(undefined);
  };

  return {
    get size() {
      return room.size;
    },
    wait(asking, holdMs, answer) {
      const { nodeId } = asking;
      const earlier = room.get(nodeId);
      if (earlier) end(nodeId, earlier);
      counter = (counter + 1) % spreadMs;
      const waiter = { asking, answer, untilMs: clock.now().getTime() + holdMs - counter };
      room.set(nodeId, waiter);
      tasks.arrive(nodeId);
      return () => {
        if (room.get(nodeId) === waiter) room.delete(nodeId);
      };
    },
    wake(payload) {
      if (payload === '') tasks.lookAnywhere();
      else tasks.wake(payload.split(','));
    },
    async tick() {
      const nowMs = clock.now().getTime();
      for (const [nodeId, waiter] of room) if (waiter.untilMs <= nowMs) end(nodeId, waiter);
      if (nowMs - lookedAllAtMs < lookAllEveryMs) return;
      lookedAllAtMs = nowMs;
      if (room.size > 0) tasks.lookAnywhere();
      await tasks.atRest();
    },
    dismiss(nodeId) {
      const waiter = room.get(nodeId);
      if (waiter) end(nodeId, waiter);
    },
    async close() {
      for (const [nodeId, waiter] of room) end(nodeId, waiter);
      await tasks.atRest();
    },
  };
}
