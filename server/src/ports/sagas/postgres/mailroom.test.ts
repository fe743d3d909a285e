import { describe, expect, it } from 'vitest';
import { makeTestClock } from '../../../kernel/clock.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import type { Letter } from '../standing.ts';
import { openMailroom } from './mailroom.ts';

function openDesk() {
  const clock = makeTestClock();
  const posted = new Map<string, Letter>();
  const looks: string[] = [];
  const records = {
    async letter(run: string, step: string) {
      looks.push(`${run}::${step}`);
      return posted.get(`${run}::${step}`);
    },
    async full(boxes: readonly { readonly run: string; readonly step: string }[]) {
      looks.push(`all ${boxes.length}`);
      return boxes.filter(({ run, step }) => posted.has(`${run}::${step}`));
    },
  };
  const room = openMailroom({ records, clock, log: silentLog });
  const { signal } = new AbortController();
  return { clock, posted, looks, room, signal, inAnHour: clock.now().getTime() + 3_600_000 };
}
const letter: Letter = { by: 'a node', value: 1 };

describe('the mailroom', () => {
  it('looks into a mailbox when it rings, and not before', async () => {
    const { room, posted, looks, signal, inAnHour } = openDesk();
    const waiting = room.open('run', 'boot', true).letterBefore(inAnHour, signal);
    expect(looks).toEqual([]);
    room.ring('another::boot');
    posted.set('run::boot', letter);
    room.ring('run::boot');
    expect(await waiting).toEqual(letter);
    expect(looks).toEqual(['run::boot']);
    await room.close();
  });
  it('looks first into a mailbox that was there before', async () => {
    const { room, posted, signal, inAnHour } = openDesk();
    posted.set('run::boot', letter);
    expect(await room.open('run', 'boot', false).letterBefore(inAnHour, signal)).toEqual(letter);
    await room.close();
  });
  it('hears a ring that came before anybody waited', async () => {
    const { room, posted, signal, inAnHour } = openDesk();
    const box = room.open('run', 'boot', true);
    posted.set('run::boot', letter);
    room.ring('run::boot');
    expect(await box.letterBefore(inAnHour, signal)).toEqual(letter);
    await room.close();
  });
  it('hands over a letter that was posted in the same process without looking', async () => {
    const { room, looks, signal, inAnHour } = openDesk();
    const waiting = room.open('run', 'boot', true).letterBefore(inAnHour, signal);
    room.deliver('run', 'boot', letter);
    expect(await waiting).toEqual(letter);
    expect(looks).toEqual([]);
    await room.close();
  });
  it('finds what nobody rang for with one look for all who wait', async () => {
    const { room, posted, looks, clock, signal, inAnHour } = openDesk();
    const [first] = ['a', 'b', 'c'].map((run) => room.open(run, 'boot', true).letterBefore(inAnHour, signal));
    posted.set('a::boot', letter);
    await clock.advance(15_000);
    expect(await first).toEqual(letter);
    expect(looks).toEqual(['all 3', 'a::boot']);
    await room.close();
  });
  it('has nothing for whoever waited long enough', async () => {
    const { room, clock, signal } = openDesk();
    const waiting = room.open('run', 'boot', true).letterBefore(clock.now().getTime() + 50, signal);
    await clock.advance(50);
    expect(await waiting).toBeUndefined();
    await room.close();
  });
  it('lets go of whoever waits when its process leaves', async () => {
    const { room, inAnHour } = openDesk();
    const leaving = new AbortController();
    const waiting = room.open('run', 'boot', true).letterBefore(inAnHour, leaving.signal);
    leaving.abort(new Error('the process is closing'));
    await expect(waiting).rejects.toThrow('closing');
    await room.close();
  });
});
