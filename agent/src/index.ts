/** What others may use of the agent: the simulated fleet of `npm start` runs agents in its own process. */
export { type AgentParts, type AgentStatus, type NodeAgent, openAgent } from './agent.ts';
export type { Chance } from './chance.ts';
export {
  type Host,
  HostFailure,
  type HostFailureCode,
  type HostRuntime,
  hostFailureCodes,
  type Work,
} from './host/port.ts';
export type { FaultOrder } from './host/simulated/faults.ts';
export type { UidRange } from './host/simulated/guests/guest.ts';
export { unusedUids } from './host/simulated/guests/guest.ts';
export type { GpuModel } from './host/simulated/hardware.ts';
export { openSimulatedHost, type SimulatedHost } from './host/simulated/host.ts';
export type { Pace } from './host/simulated/pace.ts';
export { type Enrolment, EnrolmentFailure } from './identity/enrol.ts';
export { makeResultSigner } from './identity/keys.ts';
export type { AgentSettings } from './settings.ts';
