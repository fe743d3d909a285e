import { join } from 'node:path';
import type { Clock } from './clock.ts';
import { makeDisk } from './disk.ts';
import { openDrain } from './drain.ts';
import { makeIdentityFiles } from './identity/identity-files.ts';
import { openLeases } from './leases/leases.ts';
import { openPace } from './pace.ts';
import { openServerTime } from './server-time.ts';
import type { WholeSettings } from './settings.ts';
import { openSigners } from './tasks/signers.ts';
import { openUsageFiles } from './usage/usage-files.ts';

export type AgentState = Awaited<ReturnType<typeof openState>>;

/** Opens the state folder: everything that an agent knows when it starts again. */
export async function openState(parts: {
  readonly settings: WholeSettings;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly onLeaseChange: () => void;
}) {
  const { settings, clock, elapsedMs } = parts;
  const disk = makeDisk({ forced: settings.forcesToDisk });
  const at = (name: string) => join(settings.stateDir, name);
  for (const folder of ['.', 'tasks', 'leases', 'usage', 'telemetry', 'logs']) await disk.sweep(at(folder));
  const [time, signers, leases, drain, usage, pace] = await Promise.all([
    openServerTime({ clock, elapsedMs, disk, path: at('time.json') }),
    openSigners({ disk, path: at('signers.json') }),
    openLeases({ disk, dir: at('leases'), onChange: parts.onLeaseChange }),
    openDrain({ disk, path: at('drain.json') }),
    openUsageFiles({ disk, dir: at('usage') }),
    openPace({ disk, path: at('pace.json') }),
  ]);
  const files = makeIdentityFiles({ disk, ...settings });
  return {
    disk,
    files,
    time,
    signers,
    leases,
    drain,
    usage,
    pace,
    tasksDir: at('tasks'),
    telemetryDir: at('telemetry'),
    logsDir: at('logs'),
  };
}
