import type { NodeTask } from '@gpuaas/contract/node';
import type { Asking, Dispatch } from '../../domains/nodes/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/telemetry/log.ts';

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
interface Waiter {
  readonly asking: Asking;
  readonly answer: (task: NodeTask | undefined) => void;
  readonly untilMs: number;
}

/** Questions that came together do not end together. */
const spreadMs = 5_000;
const lookAllEveryMs = 4_000;

export function openWaitingRoom(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: Dispatch;
}): WaitingRoom {
  const { clock, log, tasks } = parts;
  const room = new Map<string, Waiter>();
  let arrived = new Set<string>();
  let woken = new Set<string>();
  let looksAnywhere = false;
  let looking: Promise<void> | undefined;
  let handing: Promise<void> | undefined;
  let lookedAllAtMs = 0;
  let counter = 0;

  const end = (nodeId: string, waiter: Waiter) => {
    room.delete(nodeId);
    waiter.answer(undefined);
  };

  /** The nodes of the list that still wait, with their polls. */
  const present = (nodeIds: Iterable<string>): Asking[] => [...nodeIds].flatMap((id) => room.get(id)?.asking ?? []);
  const trouble = (error: unknown) => {
    // They stay in the room: the next round tries again.
    log.warn({ err: error }, 'tasks could not be handed out');
  };

  async function look(): Promise<void> {
    while (arrived.size > 0 || looksAnywhere) {
      const [asking, anywhere] = [present(arrived), looksAnywhere];
      arrived = new Set();
      looksAnywhere = false;
      try {
        const found = await Promise.all([
          asking.length > 0 ? tasks.pending(asking) : [],
          anywhere ? tasks.pendingAnywhere() : [],
        ]);
        for (const nodeId of found.flat()) woken.add(nodeId);
      } catch (error) {
        trouble(error);
      }
      go();
    }
  }
  async function hand(): Promise<void> {
    while (woken.size > 0) {
      const due = present(woken);
      woken = new Set();
      if (due.length === 0) continue;
      try {
        for (const [nodeId, task] of await tasks.dispatch(due)) {
          const waiter = room.get(nodeId);
          // Disconnected meanwhile: the task is handed out again when the node reconnects without it.
          if (!waiter) continue;
          room.delete(nodeId);
          waiter.answer(task);
        }
      } catch (error) {
        trouble(error);
      }
    }
  }
  const go = () => {
    if (!looking && (arrived.size > 0 || looksAnywhere)) {
      looking = look().finally(() => {
        looking = undefined;
        go();
      });
    }
    if (!handing && woken.size > 0) {
      handing = hand().finally(() => {
        handing = undefined;
        go();
      });
    }
  };
  const atRest = async (): Promise<void> => {
    while (looking || handing) await Promise.all([looking, handing]);
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
      arrived.add(nodeId);
      go();
      return () => {
        if (room.get(nodeId) === waiter) room.delete(nodeId);
      };
    },
    wake(payload) {
      if (payload === '') looksAnywhere = true;
      else for (const nodeId of payload.split(',')) if (room.has(nodeId)) woken.add(nodeId);
      go();
    },
    async tick() {
      const nowMs = clock.now().getTime();
      for (const [nodeId, waiter] of room) if (waiter.untilMs <= nowMs) end(nodeId, waiter);
      if (nowMs - lookedAllAtMs < lookAllEveryMs) return;
      lookedAllAtMs = nowMs;
      looksAnywhere = room.size > 0;
      go();
      await atRest();
    },
    dismiss(nodeId) {
      const waiter = room.get(nodeId);
      if (waiter) end(nodeId, waiter);
    },
    async close() {
      for (const [nodeId, waiter] of room) end(nodeId, waiter);
      await atRest();
    },
  };
}
