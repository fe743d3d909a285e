import {
  acceptedSignerStates,
  LineAnswer,
  LineCall,
  NodeEnrolled,
  NodeEnrolment,
  NodeHeartbeat,
  NodeHeartbeatAnswer,
  NodeLogPush,
  NodeRenewal,
  NodeTask,
  NodeTaskProgress,
  NodeTaskResult,
  NodeUsageAnswer,
  NodeUsageRecord,
  NodeUsageReport,
  nodeTaskKinds,
  nodeTransport,
  SignersStatement,
  SignerVersion,
} from '../../contract/src/node.ts';
import { stableJson } from './json.ts';
import { makeSchemaBook } from './schema.ts';

/** The agent protocol as one JSON Schema document, for agents in other languages. */
export function emitNodeProtocol(version: string): string {
  const book = makeSchemaBook('#/$defs/');
  for (const schema of [
    ...[
      NodeEnrolment,
      NodeEnrolled,
      NodeRenewal,
      NodeHeartbeat,
      NodeHeartbeatAnswer,
      NodeUsageRecord,
      NodeUsageReport,
      NodeUsageAnswer,
      NodeLogPush,
    ],
    ...[NodeTask, NodeTaskProgress, NodeTaskResult, SignerVersion, SignersStatement],
    ...[LineCall, LineAnswer],
  ]) {
    book.show(schema);
  }
  const tasks = Object.fromEntries(
    Object.entries(nodeTaskKinds).map(([type, { summary, params, output }]) => [
      type,
      { summary, params: book.show(params), output: book.show(output) },
    ]),
  );
  return stableJson({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:gpuaas:node-protocol',
    title: 'GPUaaS node protocol',
    description:
      'Tasks that the control plane signs and node agents carry out, and the results they post. Unknown members are to be kept when a signature is checked and ignored otherwise.',
    $defs: book.named(),
    'x-gpuaas-version': version,
    'x-gpuaas-tasks': tasks,
    'x-gpuaas-transport': nodeTransport,
    'x-gpuaas-signature': {
      algorithm: 'Ed25519',
      covers: 'the canonical JSON (RFC 8785) of the envelope without its signature',
      accepted_signer_states: acceptedSignerStates,
    },
  });
}
