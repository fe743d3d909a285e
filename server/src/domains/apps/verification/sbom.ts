/** Types of predicates that are a list of what an image contains. */
const predicates = /^https:\/\/(?:spdx\.dev\/Document(?:\/v[0-9.]+)?|cyclonedx\.org\/bom(?:\/v?[0-9.]+)?)$/;
/** Types under which such a list lies beside an image. */
const artifacts = new Set([
  'application/spdx+json',
  'text/spdx+json',
  'application/vnd.cyclonedx+json',
  'application/vnd.cyclonedx+json;version=1.5',
  'application/vnd.cyclonedx+json;version=1.6',
]);
export const isSbomPredicate = (type: string): boolean => predicates.test(type);
export const isSbomArtifact = (type: string): boolean => artifacts.has(type);

/** What kind of list this is, and of how many parts; undefined when it is none. */
export function describeSbom(value: unknown): string | undefined {
  // cosign keeps an SPDX document that it was not asked to understand as text.
  const read = typeof value === 'string' ? parsed(value) : value;
  if (typeof read !== 'object' || read === null) return undefined;
  const { spdxVersion, packages, bomFormat, specVersion, components } = read as Readonly<Record<string, unknown>>;
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0);
  if (typeof spdxVersion === 'string' && /^SPDX-\d+\.\d+$/.test(spdxVersion)) {
    return `${spdxVersion}, ${count(packages)} packages`;
  }
  return bomFormat === 'CycloneDX' && typeof specVersion === 'string' && /^\d+\.\d+$/.test(specVersion)
    ? `CycloneDX ${specVersion}, ${count(components)} components`
    : undefined;
}
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
export const sbomIn = (bytes: Buffer): string | undefined => describeSbom(parsed(bytes.toString('utf8')));
