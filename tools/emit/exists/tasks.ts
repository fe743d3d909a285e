import { nodeTaskKinds } from '@gpuaas/contract/node';
import { table } from '../table.ts';

const code = (text: string): string => `\`${text}\``;
const fieldsOf = (schema: object): string => {
  const properties = 'properties' in schema ? (schema.properties as Record<string, unknown>) : {};
  const required = 'required' in schema ? (schema.required as readonly string[]) : [];
  const names = Object.keys(properties);
  return names.length === 0
    ? 'nothing'
    : names.map((name) => `${code(name)}${required.includes(name) ? '' : '?'}`).join(', ');
};

/** Everything that a node can be asked to do. */
export function emitTasks(): string {
  const rows = Object.entries(nodeTaskKinds).map(([type, { summary, params, output }]) => [
    code(type),
    summary,
    fieldsOf(params),
    fieldsOf(output),
  ]);
  return `# Tasks of nodes

Everything that the control plane can ask a host to do, with what goes in and what comes back. There is no other way onto a host: no shell, no
script, no file from us. The schemas are in [tasks.ts](../../contract/src/node/tasks.ts) and in [node-protocol.json](../../api/node-protocol.json).

\`\`\`mermaid
sequenceDiagram
  participant W as worker
  participant D as database
  participant A as api
  participant N as agent
  W->>D: task, signed with Ed25519, in the transaction that decides it
  N->>A: GET tasks (mutual TLS, waits)
  A->>N: the task, to this node alone
  N->>N: signature, node, expiry, generation of the lease, seen before?
  N->>A: phases while it works
  N->>A: result, signed by the key of the node
  A->>D: the task ends in exactly one way
\`\`\`

- A task is **for one node and one generation of a lease**, expires, and is obeyed once: the agent keeps a journal of ids
  ([verify-task.ts](../../agent/src/tasks/verify-task.ts), [journal.ts](../../agent/src/tasks/journal.ts)).
- Its **params are narrow**: names, ids, digests and keys that mean nothing to a shell, a file name or a cloud-init document.
- An agent **refuses what it does not know** and touches nothing. What a host cannot do is not asked of it.
- Its result is **signed by the node** and says with proofs what it found. A failure is no proof.

A question mark stands behind what may be left out.

${table(['task', 'what', 'goes in', 'comes back'], rows)}
`;
}
