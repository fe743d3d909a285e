import { sampleSeconds } from '@gpuaas/contract/node';
import type { Enrolment } from './identity/enrol.ts';

/** The settings of an agent. `main.ts` reads them from the environment, a fleet in one process makes them. */
export interface AgentSettings {
  /** The node hostname and port of the control plane: the only place an agent ever calls. */
  readonly url: URL;
  readonly stateDir: string;
  readonly agentVersion: string;
  /** The SPIFFE id that the control plane must show. Without one its host name is checked. */
  readonly peerId?: string;
  /** Used when there is no identity yet, or when the one there is has expired. */
  readonly enrolment?: Enrolment;
  /** The operator's own trust files. They are read, never written, and never taken for one another. */
  readonly httpsTrustPath?: string;
  readonly nodeAuthorityPath?: string;
  readonly bootId?: string;
  /** False for hosts that do not exist: their files need not outlive the machine that pretends. */
  readonly forcesToDisk?: boolean;
  readonly mostRunning?: number;
  readonly workLimitMs?: number;
  readonly closeGraceMs?: number;
  /** How often what runs is measured. */
  readonly usageEveryMs?: number;
  /** How often the host is measured for its metrics. */
  readonly sampleEveryMs?: number;
  /** How often lines of the log are pushed. */
  readonly logEveryMs?: number;
  /** How many times as fast GPU time passes. Only a fleet of simulated hosts sets it; `main.ts` cannot. */
  readonly gpuTimeSpeed?: number;
}

export const withDefaults = (settings: AgentSettings) => ({
  forcesToDisk: true,
  mostRunning: 32,
  workLimitMs: 60 * 60_000,
  closeGraceMs: 5_000,
  usageEveryMs: 60_000,
  sampleEveryMs: sampleSeconds * 1_000,
  logEveryMs: 2_000,
  gpuTimeSpeed: 1,
  peerId: undefined,
  enrolment: undefined,
  ...settings,
});

export type WholeSettings = ReturnType<typeof withDefaults>;
