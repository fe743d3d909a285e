import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskParams } from '@gpuaas/contract/node';
import { systemChance } from '../chance.ts';
import { type Clock, systemClock } from '../clock.ts';
import { makeWork, ordersFor } from '../host/conformance-rig.ts';
import type { Host } from '../host/port.ts';
import { openSimulatedHost } from '../host/simulated/host.ts';
import { makeCertificateRequest, makeTlsKey } from '../identity/keys.ts';
import type { ServerTime } from '../server-time.ts';
import { silentLog } from '../telemetry/log.ts';
import { makeDial } from '../terminal/dial.ts';
import { makeTerminals, type Terminals } from '../terminal/terminals.ts';
import { controlPlaneId, makeTestAuthority, type TestAuthority } from './authority.ts';
import { openTestGateway, type TestGateway } from './terminal-gateway.ts';

/** Real terminals of a simulated host, and a gateway that they reach over mutual TLS. */
export interface TerminalRig {
  readonly authority: TestAuthority;
  readonly host: Host;
  readonly gateway: TestGateway;
  readonly terminals: Terminals;
  readonly nodeId: string;
  /** What a control plane would ask for; a new session each time. */
  order(given?: Partial<TaskParams<'terminal.open'>>): TaskParams<'terminal.open'>;
  close(): Promise<void>;
}

export const login = { username: 'ada', uid: 20_001, gid: 20_001 };

export async function openTerminalRig(
  given: {
    readonly time?: ServerTime;
    readonly clock?: Clock;
    readonly elapsedMs?: () => number;
    readonly mostSessions?: number;
    readonly openingMs?: number;
    readonly holdMs?: number;
    /** Another host, with something running for an allocation. */
    readonly host?: { readonly host: Host; readonly allocationId: string; readonly login: typeof login };
  } = {},
): Promise<TerminalRig> {
  const folder = await mkdtemp(join(tmpdir(), 'gpuaas-terminals-'));
  await chmod(folder, 0o711);
  const allocationId = given.host?.allocationId ?? randomUUID();
  const host = given.host?.host ?? (await simulatedHost(folder, allocationId));
  const authority = await makeTestAuthority();
  const gateway = await openTestGateway(authority);
  const nodeId = randomUUID();
  const dial = makeDial({ ...(await identityOf(authority, nodeId)), peerId: controlPlaneId });
  const time = given.time ?? { nowMs: () => Date.now(), now: () => new Date(), learn: async () => undefined };
  const terminals = makeTerminals({
    ...{ host, dial, time, clock: systemClock, chance: systemChance, log: silentLog },
    elapsedMs: () => performance.now(),
    ...given,
    ...{ host },
  });
  return {
    ...{ authority, host, gateway, terminals, nodeId },
    order: (other) => ({
      allocation_id: allocationId,
      session_id: randomUUID(),
      login: given.host?.login ?? login,
      name: 'shell 1',
      columns: 80,
      rows: 24,
      ends_at: new Date(time.nowMs() + 3_600_000).toISOString(),
      gateway_url: gateway.url,
      grace_seconds: 30,
      idle_seconds: 0,
      ring_bytes: 262_144,
      recording: 'off',
      ...other,
    }),
    async close() {
      await terminals.close();
      if (!given.host) await host.close();
      await gateway.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function simulatedHost(folder: string, allocationId: string): Promise<Host> {
  const host = await openSimulatedHost({ seed: 'terminals', folder, clock: systemClock, pace: { speed: 20_000 } });
  const { user } = await ordersFor(host, login);
  await host.provisionUser(user(allocationId), makeWork());
  return host;
}

/** The certificate of a node, as an agent has it, and whom it believes. */
export async function identityOf(authority: TestAuthority, nodeId: string) {
  const key = makeTlsKey();
  const certificate = await authority.issueNode(await makeCertificateRequest(key), nodeId);
  return { identity: () => ({ certificate, key }), trust: async () => authority.pem };
}

/** Whether a process still does anything: one that is dead and only not yet buried does not count. */
export async function isRunning(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return text !== '' && !text.slice(text.lastIndexOf(')') + 2).startsWith('Z');
}
