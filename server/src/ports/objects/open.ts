import type { Clock } from '../../kernel/clock.ts';
import { Outage } from '../../kernel/fault.ts';
import type { Adapted } from '../adapter.ts';
import { openFileObjects } from './files.ts';
import type { Objects } from './port.ts';
import { openS3Objects, type S3Config } from './s3.ts';

export type ObjectsConfig =
  | { readonly kind: 'files'; readonly root: string }
  | ({ readonly kind: 's3' } & S3Config)
  | { readonly kind: 'none'; readonly because: string };

/** The only place that knows where objects are kept. */
export async function openObjects(config: ObjectsConfig, parts: { readonly clock: Clock }): Promise<Objects & Adapted> {
  switch (config.kind) {
    case 'files':
      return openFileObjects({ ...parts, root: config.root });
    case 's3':
      return openS3Objects({ ...parts, ...config });
    case 'none':
      return makeNoObjects(config.because);
  }
}

/** An installation without an object store: every use throws an error that says why. */
function makeNoObjects(because: string): Objects & Adapted {
  const refuse = async () => {
    throw new Outage(because);
  };
  return {
    adapter: { name: 'none', kind: 'none' },
    ...{ put: refuse, get: refuse, facts: refuse, delete: refuse, list: refuse },
    check: async () => undefined,
    close: async () => undefined,
  };
}
