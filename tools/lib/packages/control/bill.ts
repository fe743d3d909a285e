import type { Provenance } from './files.ts';
import type { Library } from './libraries.ts';
import type { NeededModule } from './modules.ts';

/** A bill of materials (CycloneDX 1.6) of exactly what the artefacts hold. It has no serial number and no time: it is reproducible. */
export function billOf(parts: {
  readonly provenance: Provenance;
  readonly runtime: string;
  readonly modules: readonly NeededModule[];
  readonly libraries: readonly Library[];
}): Buffer {
  const { provenance, runtime, modules, libraries } = parts;
  const debian = new Map(libraries.map(({ from }) => [from.name, from.version]));
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name: 'gpuaas-control-plane',
        version: provenance.version,
        properties: [{ name: 'commit', value: provenance.commit }],
      },
    },
    components: [
      { type: 'application', name: 'node', version: runtime, purl: `pkg:generic/node@${runtime}` },
      ...modules.map(({ name, version, licence, integrity }) => ({
        type: 'library',
        name,
        version,
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        ...(licence !== undefined && { licenses: [{ expression: licence }] }),
        ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
      })),
      ...[...debian].map(([name, version]) => ({
        type: 'operating-system',
        name,
        version,
        purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}`,
      })),
    ],
  };
  return Buffer.from(`${JSON.stringify(bill, null, 2)}\n`);
}

/** The lockfile has `sha512-` and base64; a bill has hexadecimal letters. */
function hashOf(integrity: string) {
  const [kind = '', text = ''] = integrity.split('-');
  return { alg: kind.replace(/^sha/, 'SHA-'), content: Buffer.from(text, 'base64').toString('hex') };
}
