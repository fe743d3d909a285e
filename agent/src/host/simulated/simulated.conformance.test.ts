import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import { hostConformance } from '../conformance.ts';
import { openSimulatedHost, type SimulatedHost } from './host.ts';
import { makeCutFile, openFileIn } from './testing.ts';

hostConformance('simulated', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-host-'));
  let host: SimulatedHost;
  let file = makeCutFile(openFileIn(folder));
  const open = async () => {
    file = makeCutFile(openFileIn(folder));
    host = await openSimulatedHost({
      seed: 'conformance-1',
      folder,
      clock: systemClock,
      // Fast, and still slow enough that every phase ends behind a timer.
      pace: { speed: 20_000 },
      stateFile: file,
    });
    return host;
  };
  return {
    limitations: [],
    login: { username: 'ada', uid: 20_001, gid: 20_001 },
    open,
    async crash() {
      file.cut();
      return open();
    },
    async keysOf({ allocationId }) {
      return (host.state.machines[allocationId] ?? host.state.users[allocationId])?.authorized_keys ?? [];
    },
    async close() {
      await host.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
