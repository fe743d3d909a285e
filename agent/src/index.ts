/** What others may use of the agent: the simulated fleet of `npm start` runs agents in its own process. */
export {
  type Host,
  HostFailure,
  type HostFailureCode,
  type HostRuntime,
  hostFailureCodes,
  type Work,
} from './host/port.ts';
