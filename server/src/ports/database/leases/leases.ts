import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import { sql } from '../../../kernel/act.ts';
import type { Fence, Lease } from '../../../kernel/process/lease.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { connectSingle } from '../../single-connection.ts';

/** A holder that stalls is replaced after this long; one whose connection ends, or that gives the lease back, at once. */
const leaseSeconds = 10;
/** How often a holder renews its lease, and how often the others look whether it is free. */
const lookEveryMs = 1_500;
const answerWithinMs = 5_000;

const alone = sql('lease-alone', `select pg_try_advisory_lock(hashtextextended('gpuaas lease ' || $1, 0)) as alone`);
const notAlone = sql('lease-not-alone', `select pg_advisory_unlock(hashtextextended('gpuaas lease ' || $1, 0))`);
const take = sql('lease-take', 'select lease_take($1, $2, $3, $4)::text as fence');
const renew = sql('lease-renew', 'select lease_renew($1, $2, $3, $4) as held');
const leave = sql('lease-leave', 'select lease_leave($1, $2)');

export interface Leases {
  /** Tries to take the lease, and goes on trying until it is closed. Returns after the first try. */
  hold(name: string): Promise<Lease>;
}

/**
 * Leases are rows with an expiry by the clock of the database. The holder also has an advisory lock on a connection of its
 * own: when that connection ends, the lock is free, and the next process need not wait for the expiry.
 */
export const makeLeases = (parts: { readonly url: string; readonly log: Log }): Leases => ({
  async hold(name) {
    const holding = new HeldLease(name, parts);
    await holding.look();
    holding.run();
    return holding;
  },
});

class HeldLease implements Lease {
  readonly name: string;
  readonly #parts: { readonly url: string; readonly log: Log };
  readonly #stopping = new AbortController();
  readonly #listeners: (() => void)[] = [];
  #client: Client | undefined;
  #isAlone = false;
  #held: { readonly fence: Fence; readonly lost: AbortController; goodUntil: number } | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(name: string, parts: { readonly url: string; readonly log: Log }) {
    this.name = name;
    this.#parts = parts;
  }

  current(): Fence | undefined {
    // A process that was stopped for longer than the lease lasts must not trust what it knew before.
    if (this.#held && performance.now() > this.#held.goodUntil) this.#lose('it was not renewed in time');
    return this.#held?.fence;
  }
  onHeld(listener: () => void): void {
    this.#listeners.push(listener);
  }

  run(): void {
    const { signal } = this.#stopping;
    this.#running = (async () => {
      while (!signal.aborted) {
        // The lease expires by the time of the database, so renewals follow real time whatever clock the process has.
        await wait(lookEveryMs, undefined, { signal }).catch(() => undefined);
        if (!signal.aborted) await this.look();
      }
    })();
  }

  /** Renews the lease, or tries to take it. A failure costs the connection, and with it the lease. */
  async look(): Promise<void> {
    try {
      this.#client ??= await this.#connect();
      const sentAt = performance.now();
      this.#isAlone ||= (await this.#ask<{ alone: boolean }>(alone, [this.name])).alone;
      if (this.#held) {
        const { held } = await this.#ask<{ held: boolean }>(renew, [
          ...[this.name, this.#held.fence.number, this.#isAlone, leaseSeconds],
        ]);
        if (held) this.#held.goodUntil = sentAt + leaseSeconds * 1_000;
        else await this.#drop('another process took it');
        return;
      }
      const { fence } = await this.#ask<{ fence: string | null }>(take, [
        ...[this.name, `${hostname()}:${process.pid}`, this.#isAlone, leaseSeconds],
      ]);
      if (fence !== null) return this.#gain(fence, sentAt + leaseSeconds * 1_000);
      // The holder took the lease over from a stalled one and has yet to get the lock: it is the holder's.
      if (this.#isAlone) await this.#ask(notAlone, [this.name]);
      this.#isAlone = false;
    } catch (error) {
      this.#parts.log.warn({ err: error, lease: this.name }, 'the lease could not be looked at; trying again');
      await this.#drop('the database could not be asked');
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('the process is stopping'));
    await this.#running;
    const fence = this.#held?.fence;
    this.#lose('the process is stopping');
    if (fence) await this.#ask(leave, [this.name, fence.number]).catch(() => undefined);
    await this.#hangUp();
  }

  #gain(number: string, goodUntil: number): void {
    const lost = new AbortController();
    this.#held = { fence: { lease: this.name, number, signal: lost.signal }, lost, goodUntil };
    this.#parts.log.info({ lease: this.name, fence: number }, 'this process holds the lease now');
    for (const listener of this.#listeners) listener();
  }
  #lose(because: string): void {
    this.#held?.lost.abort(new Error(`the lease ${this.name} is lost: ${because}`));
    this.#held = undefined;
  }
  /** Loses the lease, and the connection with its advisory lock, which is the next holder's. */
  async #drop(because: string): Promise<void> {
    if (this.#held) this.#parts.log.warn({ lease: this.name, because }, 'this process lost the lease');
    this.#lose(because);
    await this.#hangUp();
  }
  async #connect(): Promise<Client> {
    return connectSingle({
      connectionString: this.#parts.url,
      application_name: `gpuaas lease ${this.name}`,
      connectionTimeoutMillis: answerWithinMs,
      keepAlive: true,
      query_timeout: answerWithinMs,
    });
  }
  async #ask<R>(statement: { name: string; text: string }, values: unknown[]): Promise<R> {
    if (!this.#client) throw new Error('there is no connection');
    return (await this.#client.query({ ...statement, values })).rows[0] as R;
  }
  async #hangUp(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#isAlone = false;
    if (!client) return;
    const patience = new AbortController();
    const tooLong = wait(lookEveryMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([client.end().catch(() => undefined), tooLong]);
    patience.abort();
  }
}
