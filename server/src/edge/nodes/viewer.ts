import type { Viewer } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';

/** A node as the audit sees it; `actorId` is the node, or `enrolment` for one that has no id yet. */
export const nodeViewer = (
  { address }: { readonly address: string | undefined },
  actorId: string,
  ids: Ids,
): Viewer => ({
  actorId,
  actorKind: 'node',
  actorRole: 'none',
  reach: 'platform',
  organizationId: undefined,
  projectId: undefined,
  correlationId: ids.next(),
  traceparent: undefined,
  address,
  userAgent: undefined,
});
