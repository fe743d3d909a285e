import type { ErrorCode } from '@gpuaas/contract';
import { type Mounted, type ReadTx, systemViewer } from '../../kernel/act.ts';
import type { Metrics } from '../../kernel/telemetry/metrics.ts';
import type { Cache } from '../../ports/cache/port.ts';
import type { Objects } from '../../ports/objects/port.ts';
import { certificateRoutes } from './certificates/routes.ts';
import { jumpRoutes } from './jump/routes.ts';
import { makeLive } from './live.ts';
import type { TerminalParts } from './parts.ts';
import { platformKeyRoutes } from './platform-keys/routes.ts';
import { recordingRoutes } from './recordings/routes.ts';
import { findRecordingOwner } from './recordings/store.ts';
import { makeViews } from './recordings/views.ts';
import { terminalRoutes } from './routes.ts';
import { findSessionOwner } from './store.ts';
import { makeTokens } from './tokens.ts';

interface OwnerOf {
  readonly absent: ErrorCode;
  find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string } | undefined>;
}
/** Terminals: who may have a shell in which allocation, and which sessions there are. */
export interface Terminals {
  readonly routes: readonly Mounted[];
  readonly owners: { readonly terminal_session_id: OwnerOf; readonly terminal_recording_id: OwnerOf };
  /** What the handlers of internal routes need, too. */
  readonly parts: TerminalParts;
}

export function makeTerminals(
  outside: Pick<TerminalParts, 'db' | 'ids' | 'clock' | 'policies' | 'gateway' | 'jump' | 'platformKeys'> & {
    readonly cache: Cache;
    readonly objects: Objects;
    readonly metrics: Metrics;
  },
): Terminals {
  const { db, ids, objects } = outside;
  const ownerBy =
    (
      find: (tx: ReadTx, id: string) => Promise<{ organization_id: string; project_id: string } | undefined>,
    ): OwnerOf['find'] =>
    async (id) => {
      const row = await db.read(systemViewer('terminal', { correlationId: ids.next() }), (tx) => find(tx, id));
      return row && { organizationId: row.organization_id, projectId: row.project_id };
    };
  const parts: TerminalParts = { ...outside, tokens: makeTokens(outside), live: makeLive(outside) };
  return {
    routes: [
      ...terminalRoutes(parts),
      ...jumpRoutes(parts),
      ...certificateRoutes(parts),
      ...platformKeyRoutes(parts),
      ...recordingRoutes({ db, objects, views: makeViews(outside) }),
    ],
    owners: {
      terminal_session_id: { absent: 'terminal_session_not_found', find: ownerBy(findSessionOwner) },
      terminal_recording_id: { absent: 'terminal_recording_not_found', find: ownerBy(findRecordingOwner) },
    },
    parts,
  };
}

export { makeApplyTerminalResult } from './apply-result.ts';
export { makeTerminalGuard } from './guard.ts';
export { type InternalCall, makeTerminalInternal, type TerminalInternal } from './internal.ts';
export type { GatewayAddresses, JumpHostPlace } from './parts.ts';
export { openPlatformKeys, sealedSshKeys } from './platform-keys/keys.ts';
export { makeRecordingRetention } from './recordings/retention.ts';
export { openSessionWakes } from './wakes.ts';
