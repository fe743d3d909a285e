import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const top = join(import.meta.dirname, '../../..');

export const product = 'GPUaaS';
export const release: string = version;

export interface Provenance {
  readonly product: string;
  readonly version: string;
  /** The commit of the sources. Packages know theirs; a clone does not say. */
  readonly commit: string | null;
  /** A digest of the description of the API: equal contracts have equal ones. */
  readonly contract: string;
}

let known: Provenance | undefined;
/** What this program was made from. `npm run package` writes `release.json` into each package. */
export function readProvenance(): Provenance {
  if (known) return known;
  const file = join(top, 'release.json');
  const { commit } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly commit: string })
    : { commit: null };
  const description = readFileSync(join(top, 'api/openapi.json'));
  const contract = `sha256:${createHash('sha256').update(description).digest('hex')}`;
  known = { product, version, commit, contract };
  return known;
}
