import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, makeDesk, type Rig, type Timing } from './conformance-desk.ts';

/**
 * The suite is the port: what stands here is promised, whatever adapter is behind it. Times are a parameter, because
 * servers keep time of their own: `timing` says how fast this run lives.
 */
export function busConformance(name: string, openRig: () => Promise<Rig>, timing: Timing): void {
  describe(`bus: ${name}`, { timeout: timing.patienceMs * 4 }, () => {
    let rig: Rig;
    let desk: Desk;
    beforeAll(async () => {
      rig = await openRig();
      desk = makeDesk(rig, timing);
    }, 120_000);
    afterEach(() => desk.clear(), 30_000);
    afterAll(() => rig.close(), 30_000);

    describe('publishing', () => {
      it('takes an empty batch for what it is', async () => {
        const bus = await desk.open();
        expect(await bus.publish([])).toEqual([]);
      });

      it('refuses what it cannot keep and stores the rest', async () => {
        const bus = await desk.open();
        const seen = await desk.listen(bus, {});
        // One key, because order is promised per key only.
        const good = [1, 2, 3].map((n) => desk.message({ n }, { key: 'one' }));
        const homeless = desk.message({}, { subject: 'nowhere.at_all' });
        const huge = desk.message({ text: 'x'.repeat(1_000_001) });
        const crooked = desk.message({}, { subject: 'billing. ' });
        const [first, second, third] = good;
        if (!first || !second || !third) throw new Error('three messages were made');
        const results = await bus.publish([first, homeless, second, huge, crooked, third]);
        expect(results.map((result) => (typeof result === 'string' ? result : 'refused'))).toEqual([
          ...['stored', 'refused', 'stored', 'refused', 'refused', 'stored'],
        ]);
        await seen.until(() => seen.handled.length === 3);
        expect(seen.handled).toEqual(good.map(({ id }) => id));
      });

      it('stores a large message whole', async () => {
        const bus = await desk.open();
        const seen = await desk.listen(bus, {});
        const large = desk.message({ text: 'é\u0000"'.repeat(80_000) });
        expect(await bus.publish([large])).toEqual(['stored']);
        await seen.until(() => seen.handled.length === 1);
        expect(seen.deliveries[0]?.message).toEqual(large);
      });

      it('stores one id once', async () => {
        const bus = await desk.open();
        const seen = await desk.listen(bus, {});
        const once = desk.message({ n: 1 });
        expect(await bus.publish([once, once])).toEqual(['stored', 'duplicate']);
        expect(await (await desk.open()).publish([once])).toEqual(['duplicate']);
        const fence = desk.message({}, { key: once.key });
        await bus.publish([fence]);
        await seen.until(() => seen.handled.includes(fence.id));
        expect(seen.handled).toEqual([once.id, fence.id]);
      });

      it('keeps the order of a batch and of calls that overlap', async () => {
        const bus = await desk.open();
        const seen = await desk.listen(bus, { concurrency: 8 });
        const batches = desk.range(4).map((b) => desk.range(75).map((n) => desk.message({ b, n }, { key: 'one' })));
        await Promise.all(batches.map((batch) => bus.publish(batch)));
        await seen.until(() => seen.handled.length === 300);
        expect(seen.handled).toEqual(batches.flat().map(({ id }) => id));
      });
    });

    describe('durable consumers', () => {
      it('keeps for a consumer what arrives while it is away', async () => {
        const bus = await desk.open();
        const before = await desk.listen(bus, {});
        await before.consuming.close();
        const missed = desk.range(5).map((n) => desk.message({ n }));
        await bus.publish(missed);
        const after = await desk.listen(await desk.open(), { name: before.name });
        await after.until(() => after.handled.length === 5);
        expect(after.handled.toSorted()).toEqual(missed.map(({ id }) => id).toSorted());
        expect(before.handled).toEqual([]);
      });

      it('begins a new consumer with its creation', async () => {
        const bus = await desk.open();
        await bus.publish([desk.message({ early: true })]);
        const seen = await desk.listen(bus, {});
        const late = desk.message({ early: false });
        await bus.publish([late]);
        await seen.until(() => seen.handled.length > 0);
        expect(seen.handled).toEqual([late.id]);
      });

      it('gives every consumer every message, and each message to one instance of a consumer', async () => {
        const bus = await desk.open();
        const alone = await desk.listen(bus, {});
        const here = await desk.listen(bus, {});
        const there = await desk.listen(await desk.open(), { name: here.name });
        const sent = desk.range(60).map((n) => desk.message({ n }, { key: `key ${n % 20}` }));
        await bus.publish(sent);
        const all = sent.map(({ id }) => id).toSorted();
        await alone.until(() => alone.handled.length === 60);
        await Promise.race([
          here.until(() => here.handled.length + there.handled.length === 60),
          there.until(() => here.handled.length + there.handled.length === 60),
        ]);
        expect(alone.handled.toSorted()).toEqual(all);
        expect([...here.handled, ...there.handled].toSorted()).toEqual(all);
      });

      it('delivers only the subjects asked for', async () => {
        const bus = await desk.open();
        const rest = await desk.listen(bus, { subjects: ['billing.balance.>'] });
        const both = await desk.listen(bus, { subjects: ['billing.balance', 'apps.>', 'billing.invoice'] });
        const subjects = [
          ...['billing.balance', 'billing.balance.low', 'billing.balance.low.very', 'billing.balances.low'],
          ...['apps.instance.started', 'billing.invoice'],
        ];
        await bus.publish(subjects.map((subject) => desk.message({}, { subject, key: 'one' })));
        await rest.until(() => rest.handled.length === 2);
        await both.until(() => both.handled.length === 3);
        expect(rest.subjects()).toEqual(['billing.balance.low', 'billing.balance.low.very']);
        expect(both.subjects()).toEqual(['apps.instance.started', 'billing.balance', 'billing.invoice']);
      });

      it('refuses a consumer of subjects that no stream keeps', async () => {
        const bus = await desk.open();
        await expect(desk.listen(bus, { subjects: ['nowhere.>'] })).rejects.toThrow('no stream');
      });

      it('counts what waits and what is in work', async () => {
        const bus = await desk.open();
        const gate = desk.gate();
        const seen = await desk.listen(bus, { concurrency: 2, handle: () => gate.open });
        expect(await seen.consuming.lag()).toBe(0);
        await bus.publish(desk.range(10).map((n) => desk.message({ n })));
        await seen.until(() => seen.deliveries.length === 2);
        await desk.eventually(async () => (await seen.consuming.lag()) === 10);
        gate.release();
        await seen.until(() => seen.handled.length === 10);
        await desk.eventually(async () => (await seen.consuming.lag()) === 0);
      });

      it('tells whoever looks after it how far each consumer is behind, and since when', async () => {
        const bus = await desk.open();
        const gate = desk.gate();
        const [slow, quick] = [await desk.listen(bus, { handle: () => gate.open }), await desk.listen(bus, {})];
        const depths = desk.depths();
        const depthOf = async ({ name: consumer }: { readonly name: string }) =>
          (await depths.read()).find((each) => each.consumer === consumer);
        expect(await depthOf(slow)).toEqual({ consumer: slow.name, waiting: 0, oldestAt: undefined });
        await bus.publish([desk.message({ n: 1 }, { key: 'a' })]);
        await slow.until(() => slow.deliveries.length === 1);
        const oldest = (await depthOf(slow))?.oldestAt;
        await bus.publish([desk.message({ n: 2 }, { key: 'a' }), desk.message({ n: 3 }, { key: 'b' })]);
        await quick.until(() => quick.handled.length === 3);
        await desk.eventually(async () => (await depthOf(quick))?.waiting === 0);
        expect(oldest).toBeInstanceOf(Date);
        expect(await depthOf(slow)).toEqual({ consumer: slow.name, waiting: 3, oldestAt: oldest });
        gate.release();
        await slow.until(() => slow.handled.length === 3);
        await desk.eventually(async () => (await depthOf(slow))?.waiting === 0);
        expect((await depthOf(slow))?.oldestAt).toBeUndefined();
      });
    });

    describe('trying again', () => {
      it('waits longer from try to try and counts them', async () => {
        const bus = await desk.open();
        const at: number[] = [];
        const seen = await desk.listen(bus, {
          handle: async ({ attempt }) => {
            at.push(performance.now());
            if (attempt < 4) throw new Error('not yet');
          },
        });
        await bus.publish([desk.message({})]);
        await seen.until(() => seen.handled.length === 1);
        expect(seen.attempts()).toEqual([1, 2, 3, 4]);
        // A timer may ring a moment early; doubling must show in spite of that.
        for (const [n, factor] of [1, 2, 4].entries())
          expect((at[n + 1] ?? 0) - (at[n] ?? 0)).toBeGreaterThan(timing.backoffMs * factor * 0.9);
      });

      it('hands a message to dead when the last try failed, once, with the reason', async () => {
        const bus = await desk.open();
        const seen = await desk.listen(bus, {
          maxDeliver: 3,
          handle: async ({ message, attempt }) => {
            if (message.key === 'bad') throw new Error(`try ${attempt} failed`);
          },
        });
        const bad = desk.message({}, { key: 'bad' });
        const next = desk.message({}, { key: 'good' });
        await bus.publish([bad, next]);
        await seen.until(() => seen.dead.length === 1 && seen.handled.length === 1);
        expect(seen.dead).toEqual([{ id: bad.id, attempt: 3, reason: 'try 3 failed' }]);
        expect(seen.attempts(bad.id)).toEqual([1, 2, 3]);
        const fence = desk.message({}, { key: 'good' });
        await bus.publish([fence]);
        await seen.until(() => seen.handled.includes(fence.id));
        expect(seen.dead).toHaveLength(1);
        await desk.eventually(async () => (await seen.consuming.lag()) === 0);
      });

      it('keeps a message whose burial failed and tries only that again', async () => {
        const bus = await desk.open();
        let refusals = 2;
        const seen = await desk.listen(bus, {
          maxDeliver: 1,
          handle: async ({ message }) => {
            if (message.id === bad.id) throw new Error('no use');
          },
          dead: async () => {
            if (refusals-- > 0) throw new Error('the graveyard is closed');
          },
        });
        const bad = desk.message({}, { key: 'one' });
        const behind = desk.message({}, { key: 'one' });
        await bus.publish([bad, behind]);
        await seen.until(() => seen.handled.length === 1);
        expect(seen.attempts(bad.id)).toEqual([1]);
        expect(seen.dead.map(({ id }) => id)).toEqual([bad.id, bad.id, bad.id]);
        expect(seen.handled).toEqual([behind.id]);
      });

      it('lets nothing of a key overtake its head, and other keys go on', async () => {
        const bus = await desk.open();
        const elsewhere = desk.gate();
        const seen = await desk.listen(bus, {
          concurrency: 2,
          handle: async ({ message, attempt }) => {
            if (message.id === head.id && attempt < 4) throw new Error('not yet');
            // The fourth try of the head comes true only after the other key has gone through.
            if (message.id === head.id) await elsewhere.open;
          },
        });
        const head = desk.message({}, { key: 'a' });
        const tail = desk.range(3).map(() => desk.message({}, { key: 'a' }));
        const other = desk.range(3).map(() => desk.message({}, { key: 'b' }));
        await bus.publish([head, ...tail, ...other]);
        await seen.until(() => other.every(({ id }) => seen.handled.includes(id)));
        expect(seen.handled).toEqual(other.map(({ id }) => id));
        elsewhere.release();
        await seen.until(() => seen.handled.length === 7);
        expect(seen.handled.slice(3)).toEqual([head, ...tail].map(({ id }) => id));
      });

      it('keeps every key in order when much fails and several instances work', async () => {
        const first = await desk.open();
        const second = await desk.open();
        const done = new Map<string, number[]>();
        const fail = desk.dice(7);
        const options = {
          ...{ name: desk.name(), concurrency: 4, maxDeliver: 50, backoffMs: 5, maxBackoffMs: 20 },
          handle: async ({ message }: { message: { key: string; envelope: { payload: unknown } } }) => {
            await Promise.resolve();
            if (fail() < 0.3) throw new Error('bad luck');
            const { n } = message.envelope.payload as { n: number };
            done.set(message.key, [...(done.get(message.key) ?? []), n]);
          },
        };
        const one = await desk.listen(first, options);
        const two = await desk.listen(second, options);
        const sent = desk.range(160).map((n) => desk.message({ n }, { key: `key ${n % 8}` }));
        await first.publish(sent.slice(0, 80));
        await second.publish(sent.slice(80));
        const all = () => one.handled.length + two.handled.length === 160;
        await Promise.race([one.until(all), two.until(all)]);
        for (const k of desk.range(8))
          expect(done.get(`key ${k}`)).toEqual(desk.range(20).map((round) => round * 8 + k));
      });

      it('remembers the count of tries when the consumer is opened anew', async () => {
        const bus = await desk.open();
        const before = await desk.listen(bus, {
          handle: async () => {
            throw new Error('no use');
          },
        });
        await bus.publish([desk.message({})]);
        await before.until(() => before.deliveries.length === 2);
        await before.consuming.close();
        const tries = before.deliveries.length;
        const after = await desk.listen(await desk.open(), { name: before.name });
        await after.until(() => after.handled.length === 1);
        expect(after.attempts()).toEqual([tries + 1]);
      });

      it('gives a message that nobody can read to dead at once', async () => {
        const bus = await desk.open();
        const seen = await desk.listen(bus, {});
        await rig.putRaw(seen.name, 'billing.odd', '{"half":');
        await rig.putRaw(seen.name, 'billing.odd', '{"another":"shape"}');
        const fine = desk.message({});
        await bus.publish([fine]);
        await seen.until(() => seen.dead.length === 2 && seen.handled.length === 1);
        expect(seen.attempts()).toEqual([1]);
        expect(seen.dead.map(({ reason }) => reason)).toEqual(['it is not an envelope', 'it is not an envelope']);
        await desk.eventually(async () => (await seen.consuming.lag()) === 0);
      });
    });

    describe('work in hand', () => {
      it('works on as many keys at once as it may, and on no more', async () => {
        const bus = await desk.open();
        const gate = desk.gate();
        let running = 0;
        let most = 0;
        const seen = await desk.listen(bus, {
          concurrency: 4,
          handle: async () => {
            most = Math.max(most, ++running);
            await gate.open;
            running--;
          },
        });
        await bus.publish(desk.range(40).map((n) => desk.message({ n }, { key: `key ${n % 10}` })));
        await seen.until(() => running === 4);
        gate.release();
        await seen.until(() => seen.handled.length === 40);
        expect(most).toBe(4);
      });

      it('leaves a backlog with the server when a consumer is slow', async () => {
        const bus = await desk.open();
        const gate = desk.gate();
        const seen = await desk.listen(bus, { concurrency: 2, handle: () => gate.open });
        const sent = desk.range(600).map((n) => desk.message({ n }, { key: `key ${n}` }));
        await bus.publish(sent);
        await seen.until(() => seen.deliveries.length === 2);
        await desk.eventually(async () => (await seen.consuming.lag()) === 600);
        expect(await rig.inHand(seen.name)).toBeLessThanOrEqual(256);
        gate.release();
        await seen.until(() => seen.handled.length === 600);
        expect(new Set(seen.handled).size).toBe(600);
      });

      it('offers a message again when the process that had it is killed', async () => {
        const name = desk.name();
        const bus = await desk.open();
        await (await desk.listen(bus, { name })).consuming.close();
        const victim = await desk.startVictim(name);
        const sent = desk.range(3).map((n) => desk.message({ n }, { key: 'one' }));
        await bus.publish(sent);
        expect(await victim.handling).toBe(sent[0]?.id);
        await victim.kill();
        const later = desk.message({}, { key: 'one' });
        await bus.publish([later]);
        const seen = await desk.listen(bus, { name });
        await seen.until(() => seen.handled.length === 4);
        expect(seen.handled).toEqual([...sent, later].map(({ id }) => id));
      });

      it('leaves a message with a handler that takes long', async () => {
        const bus = await desk.open();
        const other = await desk.open();
        const slow = { name: desk.name(), handle: () => desk.sleep(timing.ackWaitMs * 3) };
        const one = await desk.listen(bus, slow);
        const two = await desk.listen(other, slow);
        await bus.publish([desk.message({})]);
        const done = () => one.handled.length + two.handled.length > 0;
        await Promise.race([one.until(done), two.until(done)]);
        await desk.eventually(async () => (await one.consuming.lag()) === 0);
        expect([...one.attempts(), ...two.attempts()]).toEqual([1]);
      });

      it('waits for the work in hand when it closes, and delivers nothing afterwards', async () => {
        const bus = await desk.open();
        const gate = desk.gate();
        const seen = await desk.listen(bus, { concurrency: 1, handle: () => gate.open });
        const [first, second] = [desk.message({ n: 1 }), desk.message({ n: 2 })];
        await bus.publish([first, second]);
        await seen.until(() => seen.deliveries.length === 1);
        let closed = false;
        const closing = seen.consuming.close().then(() => {
          closed = true;
        });
        await bus.check();
        expect(closed).toBe(false);
        gate.release();
        await closing;
        expect(seen.handled).toHaveLength(1);
        const third = desk.message({ n: 3 });
        await bus.publish([third]);
        const after = await desk.listen(await desk.open(), { name: seen.name });
        await after.until(() => after.handled.length === 2);
        expect([...seen.handled, ...after.handled].toSorted()).toEqual([first.id, second.id, third.id].toSorted());
        expect(seen.deliveries).toHaveLength(1);
      });
    });

    describe('an outage', () => {
      it('fails the publisher and the check, and both work again afterwards, as does the consumer', async () => {
        const bus = await desk.open();
        const seen = await desk.listen(bus, {});
        const before = desk.message({ n: 1 });
        await bus.publish([before]);
        await seen.until(() => seen.handled.length === 1);
        await bus.check();

        const outage = await rig.outage();
        const during = desk.message({ n: 2 });
        await expect(bus.publish([during])).rejects.toThrow();
        await expect(bus.check()).rejects.toThrow();
        await outage.end();

        await desk.eventually(async () => (await bus.publish([during])).length === 1);
        await seen.until(() => seen.handled.includes(during.id));
        await desk.eventually(async () => (await bus.check()) === undefined);
        expect(new Set(seen.handled)).toEqual(new Set([before.id, during.id]));
      });

      it('does not forget what is in work', async () => {
        const bus = await desk.open();
        const gate = desk.gate();
        const seen = await desk.listen(bus, { handle: () => gate.open });
        const sent = desk.range(3).map((n) => desk.message({ n }, { key: 'one' }));
        await bus.publish(sent);
        await seen.until(() => seen.deliveries.length === 1);
        const outage = await rig.outage();
        gate.release();
        await seen.until(() => seen.handled.length >= 1);
        await outage.end();
        await seen.until(() => sent.every(({ id }) => seen.handled.includes(id)));
        await desk.eventually(async () => (await seen.consuming.lag()) === 0);
        // The word that the first was done may be lost with the connection: then it comes twice, but never out of order.
        expect([...new Set(seen.handled)]).toEqual(sent.map(({ id }) => id));
      });
    });
  });
}
