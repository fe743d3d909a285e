import { join } from 'node:path';
import type { SignerVersion } from '@gpuaas/contract/node';
import { systemChance } from '../chance.ts';
import { systemClock } from '../clock.ts';
import { makeDisk } from '../disk.ts';
import { openDrain } from '../drain.ts';
import { makeResultKey, makeResultSigner } from '../identity/keys.ts';
import { openLeases } from '../leases/leases.ts';
import { openServerTime } from '../server-time.ts';
import { type Executor, makeExecutor } from '../tasks/executor.ts';
import { makeHandlers } from '../tasks/handlers/all.ts';
import { beginJournal, type Journal, type JournalEntry, openJournal } from '../tasks/journal.ts';
import { openSigners } from '../tasks/signers.ts';
import { silentLog } from '../telemetry/log.ts';
import { makeTerminals } from '../terminal/terminals.ts';
import { type HostDouble, makeHostDouble } from './host-double.ts';

/** The part of an agent between the wire and the host, with its own files and without a network. */
export interface ExecutorBench {
  readonly executor: Executor;
  readonly host: HostDouble;
  readonly journal: Journal;
  readonly posted: JournalEntry[];
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>;
}

export async function makeExecutorBench(given: {
  readonly stateDir: string;
  readonly nodeId: string;
  readonly signers: readonly SignerVersion[];
}): Promise<ExecutorBench> {
  const at = (name: string) => join(given.stateDir, name);
  const disk = makeDisk({ forced: false });
  const host = makeHostDouble();
  const leases = await openLeases({ disk, dir: at('leases') });
  const drain = await openDrain({ disk, path: at('drain.json') });
  const signers = await openSigners({ disk, path: at('signers.json') });
  await signers.pin(given.signers);
  const time = await openServerTime({
    clock: systemClock,
    elapsedMs: () => performance.now(),
    disk,
    path: at('time.json'),
  });
  await beginJournal(disk, at('tasks'), 0);
  const journal = await openJournal({ disk, dir: at('tasks') });
  const posted: JournalEntry[] = [];
  const terminals = makeTerminals({
    ...{ host, time, clock: systemClock, chance: systemChance, log: silentLog },
    elapsedMs: () => performance.now(),
    dial: () => Promise.reject(new Error('the bench has no network')),
  });
  const executor = makeExecutor({
    nodeId: given.nodeId,
    host,
    handlers: makeHandlers({
      ...{ host, leases, drain, terminals, clock: systemClock, selfUpdate: undefined },
      tunnels: { addLease: () => undefined, removeLease: () => undefined, closeWorkload: () => undefined },
      onDiscovery: async () => undefined,
    }),
    signers,
    journal,
    outbox: { post: (entry) => void posted.push(entry), waiting: 0 },
    leases,
    time,
    clock: systemClock,
    log: silentLog,
    sign: makeResultSigner(makeResultKey()),
    makeProgress: () => ({ phase: () => undefined, end: async () => undefined }),
    mostRunning: 1_000,
    workLimitMs: 60_000,
    onChange: () => undefined,
    onLeaseEnded: () => undefined,
    checkpoint: () => undefined,
  });
  return {
    executor,
    host,
    journal,
    posted,
    async idle() {
      while (journal.open().some(({ state }) => state !== 'done')) await executor.room();
    },
  };
}
