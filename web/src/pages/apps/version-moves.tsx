import type { CallOptions, CatalogVersion } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { Confirm } from '../../parts/confirm.tsx';

export interface VersionMove {
  readonly verb: 'promote' | 'deprecate' | 'retire';
  readonly version: CatalogVersion;
}
const acts = {
  promote: (app_version_id: string, options: CallOptions) => api.apps.versionPromote({ app_version_id }, options),
  deprecate: (app_version_id: string, options: CallOptions) => api.apps.versionDeprecate({ app_version_id }, options),
  retire: (app_version_id: string, options: CallOptions) => api.apps.versionRetire({ app_version_id }, options),
} as const;
const sentences = {
  promote: 'It moves one channel on: dev, test, staging, prod. In prod it is for everybody who finds the app.',
  deprecate: 'It can still be launched, and nobody is moved to it any more.',
  retire: 'Nobody launches it any more, for good. What runs goes on.',
} as const;
const verbs = { promote: 'Promote', deprecate: 'Deprecate', retire: 'Retire' } as const;

/** Asks before a version is moved on, and moves it. */
export function VersionMoves({ move, onClose }: { move: VersionMove | undefined; onClose(): void }) {
  const act = useAct(
    'app version move',
    ({ verb, id }: { verb: VersionMove['verb']; id: string; channel: string }, options) => acts[verb](id, options),
    { stale: ['app-catalog'], done: onClose },
  );
  if (!move) return null;
  const { verb, version } = move;
  return (
    <Confirm
      open
      onClose={() => {
        act.reset();
        onClose();
      }}
      title={`${verbs[verb]} ${version.manifest.metadata.name} ${version.version}?`}
      verb={verbs[verb]}
      danger={verb === 'retire'}
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate({ verb, id: version.id, channel: version.channel })}
    >
      <p>{sentences[verb]}</p>
    </Confirm>
  );
}
