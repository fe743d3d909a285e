import { nodeTransport } from '@gpuaas/contract/node';

/** What a node may ask about itself. */
export type OwnKind =
  | 'certificate'
  | 'heartbeat'
  | 'usage'
  | 'telemetry'
  | 'tasks/wait'
  | 'progress'
  | 'result'
  | 'release';
/** What a path asks for, and about whom. */
export type NodePath =
  | { readonly kind: 'enrol' }
  | { readonly kind: 'unknown' }
  | { readonly kind: OwnKind; readonly nodeId: string; readonly taskId: string; readonly release: string };

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const ofNode = new RegExp(
  `^/internal/v1/nodes/(${uuid})/(?:(certificate|heartbeat|usage|telemetry|tasks/wait)|tasks/(${uuid})/(progress|result)|releases/([0-9a-f]{64}))$`,
);
const uuidAlone = new RegExp(`^${uuid}$`);
export const isUuid = (text: string): boolean => uuidAlone.test(text);

const enrolPath: NodePath = { kind: 'enrol' };
const unknownPath: NodePath = { kind: 'unknown' };

export function readNodePath(path: string): NodePath {
  if (path === nodeTransport.enrol.path) return enrolPath;
  const found = ofNode.exec(path);
  if (!found) return unknownPath;
  const [, nodeId = '', about, taskId = '', ofTask, release = ''] = found;
  return { kind: (about ?? ofTask ?? 'release') as OwnKind, nodeId, taskId, release };
}
