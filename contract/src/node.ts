/**
 * The protocol between the control plane and a node agent. The agent imports this file, terminal/ and nothing else of the
 * contract, so that what runs on a customer-facing host stays small.
 *
 * The agent dials out over mTLS, on one connection (`node/line.ts`), and long-polls for one task at a time. A task is
 * signed by the control plane, names one node, expires, and is done at most once: the agent keeps the ids it has seen.
 * Whatever the agent does is a handler compiled into it; a task can choose among the handlers and give them values,
 * never text to execute.
 */
export * from './logs/push.ts';
export * from './node/attestation.ts';
export * from './node/canonical.ts';
export * from './node/envelopes.ts';
export * from './node/identity.ts';
export * from './node/line.ts';
export * from './node/oci.ts';
export * from './node/signers.ts';
export * from './node/tasks.ts';
export * from './node/telemetry.ts';
export * from './node/topology.ts';
export * from './node/transport.ts';
export * from './node/usage.ts';
export * from './telemetry/metrics.ts';
