import type { NodeTask } from '@gpuaas/contract/node';
import { describe, expect, it } from 'vitest';
import type { Asking } from '../../domains/nodes/index.ts';
import { makeTestClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/telemetry/log.ts';
import { openWaitingRoom } from './waiting-room.ts';

/** What somebody who waits is told: nothing yet, a task, or that there is none. */
interface Told {
  status: number | undefined;
  text: string;
  hangUp: () => void;
}

const holdMs = 30_000;

function openRoom() {
  const clock = makeTestClock();
  const queued = new Map<string, string[]>();
  const asked = { pending: 0, anywhere: 0, dispatch: 0 };
  const askings: Asking[] = [];
  let held: Promise<void> | undefined;
  let isAway = false;
  const room = openWaitingRoom({
    clock,
    log: silentLog,
    tasks: {
      async pending(asking) {
        asked.pending += 1;
        await held;
        if (isAway) throw new Error('away');
        return asking.flatMap(({ nodeId }) => ((queued.get(nodeId)?.length ?? 0) > 0 ? [nodeId] : []));
      },
      async pendingAnywhere() {
        asked.anywhere += 1;
        if (isAway) throw new Error('away');
        return [...queued].flatMap(([nodeId, tasks]) => (tasks.length > 0 ? [nodeId] : []));
      },
      async dispatch(asking) {
        asked.dispatch += 1;
        askings.push(...asking);
        if (isAway) throw new Error('away');
        const handed = asking.flatMap(({ nodeId }) => {
          const task = queued.get(nodeId)?.shift();
          return task ? [[nodeId, { task_id: task } as NodeTask] as const] : [];
        });
        return new Map(handed);
      },
    },
  });
  const wait = (nodeId: string, knows?: readonly string[]): Told => {
    const told: Told = { status: undefined, text: '', hangUp: () => undefined };
    told.hangUp = room.wait({ nodeId, knows }, holdMs, (task) => {
      told.status = task ? 200 : 204;
      told.text = JSON.stringify(task) ?? '';
    });
    return told;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const away = (is: boolean) => {
    isAway = is;
  };
  const holdLooks = () => {
    const gate = Promise.withResolvers<void>();
    held = gate.promise;
    return gate.resolve;
  };
  return { clock, queued, asked, askings, room, wait, settle, away, holdLooks };
}

describe('the waiting room', () => {
  it('asks once for all who came together, and once for all who are woken together', async () => {
    const { room, asked, queued, wait, settle } = openRoom();
    const ids = Array.from({ length: 100 }, (_, at) => `node-${at}`);
    const responses = ids.map((id) => wait(id));
    await settle();
    expect(asked.pending).toBeLessThanOrEqual(2);
    expect(asked.dispatch).toBe(0);
    for (const id of ids) queued.set(id, [`task of ${id}`]);
    room.wake(ids.join(','));
    await settle();
    expect(asked.dispatch).toBe(1);
    expect(responses.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(responses[7]?.text).toContain('task of node-7');
    expect(room.size).toBe(0);
  });

  it('takes no notice of nodes that are not here', async () => {
    const { room, asked, settle } = openRoom();
    room.wake('stranger,another');
    await settle();
    expect(asked).toEqual({ pending: 0, anywhere: 0, dispatch: 0 });
  });

  it('works on after there was nothing to do', async () => {
    const { room, queued, wait, settle } = openRoom();
    await room.tick();
    room.wake('stranger');
    await settle();
    queued.set('node', ['task']);
    const response = wait('node');
    await settle();
    expect(response.status).toBe(200);
  });

  it('answers with nothing when time is over, not to all in the same moment', async () => {
    const { room, clock, wait, settle } = openRoom();
    const responses = Array.from({ length: 5 }, (_, at) => wait(`node-${at}`));
    await settle();
    await clock.advance(20_000);
    await room.tick();
    expect(room.size).toBe(5);
    await clock.advance(10_000);
    await room.tick();
    expect(room.size).toBe(0);
    for (const { status } of responses) expect(status).toBe(204);
  });

  it('finds what a lost wake-up left behind, and what could not be handed out', async () => {
    const { room, clock, queued, wait, settle, away } = openRoom();
    const response = wait('node');
    await settle();
    queued.set('node', ['task']);
    away(true);
    await clock.advance(5_000);
    await room.tick();
    expect(response.status).toBeUndefined();
    away(false);
    await clock.advance(5_000);
    await room.tick();
    await settle();
    expect(response.status).toBe(200);
  });

  it('hands out to those who are woken while those who arrive are still looked up', async () => {
    const { room, queued, wait, settle, holdLooks } = openRoom();
    const early = wait('early');
    await settle();
    const letGo = holdLooks();
    const late = wait('late');
    await settle();
    queued.set('early', ['task']);
    room.wake('early');
    await settle();
    expect(early.status).toBe(200);
    expect(late.status).toBeUndefined();
    letGo();
  });

  it('looks for what was missed with one question, however many wait', async () => {
    const { room, clock, asked, wait, settle } = openRoom();
    for (let at = 0; at < 100; at += 1) wait(`node-${at}`);
    await settle();
    const before = { ...asked };
    await clock.advance(5_000);
    await room.tick();
    expect(asked).toEqual({ ...before, anywhere: before.anywhere + 1 });
  });

  it('passes on what a node says it has', async () => {
    const { askings, queued, wait, settle } = openRoom();
    queued.set('node', ['lost']);
    wait('node', ['kept']);
    await settle();
    expect(askings).toEqual([{ nodeId: 'node', knows: ['kept'] }]);
  });

  it('forgets who hung up', async () => {
    const { room, wait, settle } = openRoom();
    wait('node').hangUp();
    await settle();
    expect(room.size).toBe(0);
  });
});
