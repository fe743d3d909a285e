import { Redis, type RedisOptions, type Result } from 'ioredis';
import { Outage } from '../../kernel/fault.ts';
import { type Ids, systemIds } from '../../kernel/id.ts';
import { jitteredBackoffMs } from '../../kernel/process/backoff.ts';
import type { Adapted } from '../adapter.ts';
import { checkAdmissions, checkCost, checkName, checkSpan, checkText } from './limits.ts';
import { type CacheLog, makeListeners } from './listeners.ts';
import type { Cache } from './port.ts';

/**
 * The cache on Redis 6.2 or newer. Two connections: one for commands, one that only listens.
 *
 * A command is never queued while the connection is away and never sent a second time: a take that was repeated would
 * lose the value, a hit would count twice. It fails instead, at once, and the caller decides. The client reconnects by
 * itself; subscriptions are renewed here, from what is wanted at that moment.
 */
export interface RedisCacheOptions {
  readonly url: string;
  /** Begins every key and channel, so that several systems can share one Redis. */
  readonly prefix?: string;
  readonly ids?: Ids;
  readonly log?: CacheLog;
}

/** A window that exists keeps its end; one that begins gets it together with its first hit. */
const hitScript = `
local count = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = tonumber(ARGV[2])
end
return {count, left}
`;

/** One list of times for each key, oldest first. It lives as long as its newest entry. */
const admitScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest = redis.call('LINDEX', KEYS[1], 0)
while oldest and tonumber(oldest) <= now - window do
  redis.call('LPOP', KEYS[1])
  oldest = redis.call('LINDEX', KEYS[1], 0)
end
local count = redis.call('LLEN', KEYS[1])
local allowed = count < limit
if allowed then
  redis.call('RPUSH', KEYS[1], string.format('%d', now))
  redis.call('PEXPIRE', KEYS[1], window)
  count = count + 1
end
local leaves = tonumber(redis.call('LINDEX', KEYS[1], math.max(0, count - limit)))
return {allowed and 1 or 0, count, leaves + window - now}
`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    hitWindow(key: string, cost: number, windowMs: number): Result<[number, number], Context>;
    admitToWindow(key: string, windowMs: number, limit: number): Result<[number, number, number], Context>;
  }
}

const deadlineMs = 5_000;
const away = { firstMs: 50, maxMs: 2_000 };

const connection = {
  lazyConnect: true,
  connectTimeout: deadlineMs,
  commandTimeout: deadlineMs,
  keepAlive: 10_000,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  retryStrategy: (times: number) => jitteredBackoffMs(away, times),
} satisfies RedisOptions;

export async function openRedisCache(options: RedisCacheOptions): Promise<Cache & Adapted> {
  const { prefix = 'gpuaas:', ids = systemIds, log } = options;
  const commands = new Redis(options.url, { ...connection, connectionName: 'gpuaas-cache' });
  const ear = new Redis(options.url, { ...connection, connectionName: 'gpuaas-cache-listener' });
  for (const redis of [commands, ear]) redis.on('error', (error) => log?.warn({ err: error }, 'the cache lost Redis'));
  commands.defineCommand('hitWindow', { numberOfKeys: 1, lua: hitScript });
  commands.defineCommand('admitToWindow', { numberOfKeys: 1, lua: admitScript });

  const listeners = makeListeners(log);
  let closed = false;
  const channelPrefix = `${prefix}channel:`;

  ear.on('message', (channel: string, message: string) => listeners.tell(channel.slice(channelPrefix.length), message));
  ear.on('ready', () => {
    const wanted = listeners.channels().map((channel) => channelPrefix + channel);
    if (wanted.length === 0) return;
    ear.subscribe(...wanted).catch((error: unknown) => log?.warn({ err: error }, 'subscriptions could not be renewed'));
  });

  const close = async () => {
    if (closed) return;
    closed = true;
    listeners.clear();
    await Promise.all([hangUp(commands), hangUp(ear)]);
  };
  const refuseWhenClosed = () => {
    if (closed) throw new Error('the cache is closed');
  };
  try {
    await Promise.all([commands.connect(), ear.connect()]);
  } catch (error) {
    await close();
    throw error;
  }

  const entries = makeEntries(commands, prefix, refuseWhenClosed);
  return {
    adapter: { name: 'redis', kind: 'production' },
    ...entries,
    async publish(channel, message) {
      checkName('channel', channel);
      checkText('message', message);
      refuseWhenClosed();
      await answered(commands.publish(channelPrefix + channel, message));
    },
    async subscribe(channel, listen) {
      checkName('channel', channel);
      refuseWhenClosed();
      // Present from the start, so that nobody who leaves takes the subscription away, but deaf until Redis has
      // answered: what arrives before that was published before.
      let hears = false;
      const leave = listeners.add(channel, (message) => {
        if (hears) listen(message);
      });
      try {
        // Sent each time, also when there is a listener already: only the answer separates before from after.
        await answered(ear.subscribe(channelPrefix + channel));
        hears = true;
      } catch (error) {
        leave();
        throw error;
      }
      return {
        async close() {
          leave();
          if (closed || listeners.has(channel) || ear.status !== 'ready') return;
          await ear.unsubscribe(channelPrefix + channel);
        },
      };
    },
    async check() {
      const key = `check:${ids.secret(8)}`;
      await entries.set(key, key, deadlineMs);
      if ((await entries.take(key)) !== key) throw new Error('a value did not make the round trip through the cache');
    },
    close,
  };
}

/** Values and windows. `refuseWhenClosed` throws after the end. */
function makeEntries(
  commands: Redis,
  prefix: string,
  refuseWhenClosed: () => void,
): Pick<Cache, 'get' | 'set' | 'delete' | 'take' | 'claim' | 'hit' | 'admit'> {
  const valueKey = (key: string) => `${prefix}value:${key}`;
  const windowKey = (key: string) => `${prefix}window:${key}`;
  const slidingKey = (key: string) => `${prefix}sliding:${key}`;
  return {
    async get(key) {
      checkName('key', key);
      refuseWhenClosed();
      return (await answered(commands.get(valueKey(key)))) ?? undefined;
    },
    async set(key, value, ttlMs) {
      checkName('key', key);
      checkText('value', value);
      checkSpan('ttlMs', ttlMs);
      refuseWhenClosed();
      await answered(commands.set(valueKey(key), value, 'PX', ttlMs));
    },
    async delete(key) {
      checkName('key', key);
      refuseWhenClosed();
      await answered(commands.del(valueKey(key)));
    },
    async take(key) {
      checkName('key', key);
      refuseWhenClosed();
      return (await answered(commands.getdel(valueKey(key)))) ?? undefined;
    },
    async claim(key, value, ttlMs) {
      checkName('key', key);
      checkText('value', value);
      checkSpan('ttlMs', ttlMs);
      refuseWhenClosed();
      return (await answered(commands.set(valueKey(key), value, 'PX', ttlMs, 'NX'))) === 'OK';
    },
    async hit(key, windowMs, cost) {
      checkName('key', key);
      checkSpan('windowMs', windowMs);
      checkCost(cost);
      refuseWhenClosed();
      const [count, resetMs] = await answered(commands.hitWindow(windowKey(key), cost, windowMs));
      return { count, resetMs };
    },
    async admit(key, windowMs, limit) {
      checkName('key', key);
      checkSpan('windowMs', windowMs);
      checkAdmissions(limit);
      refuseWhenClosed();
      const [allowed, count, resetMs] = await answered(commands.admitToWindow(slidingKey(key), windowMs, limit));
      return { allowed: allowed === 1, count, resetMs };
    },
  };
}

/** What Redis itself refused is a fault of ours; everything else means that it could not be reached. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const isRefusal =
      error instanceof Error && error.name === 'ReplyError' && !/^LOADING|^MASTERDOWN/.test(error.message);
    throw isRefusal ? error : new Outage(`Redis cannot be reached: ${String(error)}`);
  }
}

/** Lets go of the connection and waits until its socket is gone. A client between two tries has no socket to wait for. */
async function hangUp(redis: Redis): Promise<void> {
  const gone = new Promise((resolve) => redis.once('end', resolve));
  const connected = redis.status === 'ready' || redis.status === 'connect' || redis.status === 'connecting';
  redis.disconnect();
  if (connected) await gone;
}
