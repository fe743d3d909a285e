import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentParts, type NodeAgent, openAgent } from '../agent.ts';
import { controlPlaneId } from './authority.ts';
import { openTestControlPlane, type TestControlPlane } from './control-plane.ts';
import { type HostDouble, makeHostDouble } from './host-double.ts';

/** A control plane, a state folder and as many agents on it, one after the other, as a test needs. */
export interface AgentWorld {
  readonly plane: TestControlPlane;
  readonly host: HostDouble;
  readonly stateDir: string;
  /** Enrols when the state folder is empty; else it is a restart. */
  open(parts?: OpenParts): Promise<NodeAgent>;
  /** What `kill -9` leaves: nothing of the process, everything on disk. */
  abandon(agent: NodeAgent): Promise<void>;
  close(): Promise<void>;
}

type OpenParts = Omit<Partial<AgentParts>, 'settings'> & { readonly settings?: Partial<AgentParts['settings']> };

export async function makeAgentWorld(given?: Parameters<typeof openTestControlPlane>[0]): Promise<AgentWorld> {
  const plane = await openTestControlPlane(given);
  const stateDir = await mkdtemp(join(tmpdir(), 'gpuaas-agent-'));
  const host = makeHostDouble();
  const agents = new Set<NodeAgent>();
  return {
    plane,
    host,
    stateDir,
    async open(parts) {
      const agent = await openAgent({
        host,
        ...parts,
        settings: {
          url: plane.url,
          stateDir,
          agentVersion: '1.0.0-test',
          peerId: controlPlaneId,
          enrolment: { token: plane.issueToken(), caFingerprint: plane.authority.fingerprint },
          forcesToDisk: false,
          closeGraceMs: 0,
          ...parts?.settings,
        },
      });
      agents.add(agent);
      return agent;
    },
    async abandon(agent) {
      agents.delete(agent);
      await agent.close();
    },
    async close() {
      for (const agent of agents) await agent.close();
      await plane.close();
      await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
