import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Enrolment,
  type NodeAgent,
  openAgent,
  openSimulatedHost,
  type Pace,
  type SimulatedHost,
  unusedUids,
} from '@gpuaas/agent';
import type { SimulatedNode } from '@gpuaas/contract';
import { controlPlaneSpiffeId } from '@gpuaas/contract/node';
import type { SimulatedFleet } from '../../../domains/simulator/index.ts';
import { systemClock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { release } from '../../release.ts';
import type { PlannedNode } from './fleet-plan.ts';

/**
 * Hosts that do not exist, with agents that do: each enrols with a token, holds a certificate and obeys signed tasks
 * over loopback, as it would on a machine of its own. Everything is kept in the data folder, so that the next start has
 * the same hosts with the same machines on them.
 */
export interface LocalFleet extends SimulatedFleet {
  readonly members: readonly FleetMember[];
  /** Makes hosts for a plan; those that are there already stay as they are. */
  grow(plan: readonly PlannedNode[]): Promise<void>;
  close(): Promise<void>;
}

export interface FleetMember {
  readonly plan: PlannedNode;
  readonly host: SimulatedHost;
  nodeId(): string | undefined;
  isEnrolled(): boolean;
  /** Runs unless it was stopped on purpose. */
  startAgent(enrolment?: Enrolment): Promise<NodeAgent | undefined>;
  agent(): NodeAgent | undefined;
}

/** The host remembers while it is open; nothing is left of it afterwards. */
const inMemory = { read: async () => undefined, replace: async () => undefined };
const mostNodes = 64;
const closeGraceMs = 1_000;
/** Hosts sign what they saw every minute of GPU time, and at most this often. */
const usualUsageMs = 60_000;
const fastestUsageMs = 1_000;

interface FleetSpec {
  readonly folder: string;
  readonly pace: Pace;
  /** Where agents call. */
  readonly doorUrl: URL;
  readonly log: Log;
  /** How many times as fast GPU time passes on them; 1 when left out. */
  readonly gpuTimeSpeed?: number;
  /** Hosts that live as long as this process, for benchmarks of everything but a host. */
  readonly hostsAreForgotten?: boolean;
}
type Member = FleetMember & { stopAgent(): Promise<void> };

export async function openSimulatedFleet(spec: FleetSpec): Promise<LocalFleet> {
  const { folder, pace } = spec;
  const listPath = join(folder, 'fleet.json');
  const members: Member[] = [];

  const knownIds = new Map<string, string>();
  const save = async () => {
    const nodes = members.map(({ plan }) => ({ ...plan, node_id: knownIds.get(plan.name) ?? null }));
    await writeFile(`${listPath}.next`, JSON.stringify({ nodes }, undefined, 2));
    await rename(`${listPath}.next`, listPath);
  };
  let saving: Promise<void> = Promise.resolve();
  const remember = async (name: string, nodeId: string) => {
    if (knownIds.get(name) === nodeId) return;
    knownIds.set(name, nodeId);
    saving = saving.then(save);
    await saving;
  };

  const known = { idOf: (name: string) => knownIds.get(name), remember };
  const admit = async (plan: PlannedNode) => {
    members.push(await openMember(spec, plan, members.length, known));
  };

  await mkdir(folder, { recursive: true, mode: 0o711 });
  for (const { node_id, ...plan } of await readList(listPath)) {
    if (node_id) knownIds.set(plan.name, node_id);
    await admit(plan);
  }

  return {
    members,
    async grow(plan) {
      const known = new Set(members.map((member) => member.plan.name));
      for (const node of plan) if (!known.has(node.name)) await admit(node);
      await save();
    },
    async look() {
      return { speed: pace.speed, nodes: (await Promise.all(members.map(show))).flat() };
    },
    async setSpeed(speed) {
      pace.speed = speed;
    },
    async order(order) {
      const member = members.find(({ nodeId }) => nodeId() === order.nodeId);
      if (!member) return undefined;
      const { faults } = member.host;
      if (order.kind === 'set_fault') {
        await faults.set({ fault: order.fault, once: order.once, slotIndex: order.slotIndex });
      } else if (order.kind === 'clear_faults') await faults.clear(order.fault);
      // Stopped on purpose is a fault like any other, so that it is still so after a restart.
      else if (order.state === 'stopped') await faults.set({ fault: 'agent_lost' });
      else await faults.clear('agent_lost');
      if (faults.find('agent_lost')) await member.stopAgent();
      else await member.startAgent();
      return (await show(member))[0];
    },
    async close() {
      await Promise.all(members.map((member) => member.stopAgent()));
      await Promise.all(members.map(({ host }) => host.close()));
    },
  };
}

/** Makes one host and what runs its agent. `index` decides which user ids are its own. */
async function openMember(
  spec: FleetSpec,
  plan: PlannedNode,
  index: number,
  known: { readonly idOf: (name: string) => string | undefined; remember(name: string, nodeId: string): Promise<void> },
): Promise<Member> {
  const { pace, log, gpuTimeSpeed = 1 } = spec;
  const own = join(spec.folder, plan.name);
  const stateDir = join(own, 'agent');
  const uidsEach = Math.floor(unusedUids.count / mostNodes);
  const host = await openSimulatedHost({
    seed: plan.name,
    model: plan.model,
    folder: join(own, 'host'),
    clock: systemClock,
    pace,
    uids: { first: unusedUids.first + (index % mostNodes) * uidsEach, count: uidsEach },
    ...(spec.hostsAreForgotten && { stateFile: inMemory }),
  });
  let agent: NodeAgent | undefined;
  let starting: Promise<NodeAgent | undefined> | undefined;
  const start = async (enrolment?: Enrolment) => {
    if (agent || host.faults.find('agent_lost')) return agent;
    agent = await openAgent({
      host,
      clock: systemClock,
      log: log.child({ node: plan.name }),
      settings: {
        url: spec.doorUrl,
        stateDir,
        agentVersion: release,
        peerId: controlPlaneSpiffeId,
        // The machine that pretends is not the one that must survive a power cut.
        forcesToDisk: false,
        closeGraceMs,
        gpuTimeSpeed,
        usageEveryMs: Math.max(fastestUsageMs, usualUsageMs / gpuTimeSpeed),
        ...(enrolment && { enrolment }),
      },
    });
    return agent;
  };
  return {
    plan,
    host,
    nodeId: () => agent?.nodeId ?? known.idOf(plan.name),
    isEnrolled: () => existsSync(join(stateDir, 'identity.json')),
    agent: () => agent,
    async startAgent(enrolment) {
      // Two callers at once are one start.
      starting ??= start(enrolment).finally(() => {
        starting = undefined;
      });
      const started = await starting;
      if (started) await known.remember(plan.name, started.nodeId);
      return started;
    },
    async stopAgent() {
      await starting?.catch(() => undefined);
      const leaving = agent;
      agent = undefined;
      await leaving?.close();
    },
  };
}

const show = async ({ plan, host, nodeId, agent }: FleetMember): Promise<SimulatedNode[]> => {
  const id = nodeId();
  if (id === undefined) return [];
  const runtimes = await host.runtimes();
  return [
    {
      node_id: id,
      name: plan.name,
      gpu_model: host.hardware.slots[0]?.gpu_model ?? '',
      gpus_total: host.hardware.slots.length,
      agent: agent() ? 'running' : 'stopped',
      running: runtimes.filter(({ running }) => running).map(({ allocationId }) => allocationId),
      faults: host.faults.list().map((fault) => ({ ...fault })) as SimulatedNode['faults'],
    },
  ];
};

async function readList(path: string): Promise<readonly (PlannedNode & { readonly node_id: string | null })[]> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? [] : (JSON.parse(text) as { nodes: (PlannedNode & { node_id: string | null })[] }).nodes;
}
