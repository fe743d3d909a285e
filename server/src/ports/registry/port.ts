/**
 * Registries of container images, as OCI distribution has them: what is under a name, a digest or beside an image. A port is open for any
 * number of registries; its caller decides which ones may be asked.
 *
 * What a registry does not have is `undefined`. A registry that does not answer, answers too late or too much, refuses us or gives other
 * bytes than were asked for throws `RegistryAway`, and may be asked again: its answer says nothing about the image.
 */
export interface Registry {
  at(place: RepositoryPlace): Repository;
  check(): Promise<void>;
  close(): Promise<void>;
}
export interface RepositoryPlace {
  /** Its name, with a port where it has one. */
  readonly registry: string;
  readonly repository: string;
}

export interface Repository {
  /** By digest or by tag. The bytes of a digest are the ones that it names. */
  manifest(reference: string): Promise<Manifest | undefined>;
  /** The bytes that the digest names, if there are not more of them than this. */
  blob(digest: string, mostBytes: number): Promise<Buffer | undefined>;
  /** Manifests that name this one as their subject. Registries without that interface keep the list under a tag. */
  referrers(digest: string): Promise<readonly Referrer[]>;
}
export interface Manifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}
export interface Referrer {
  readonly digest: string;
  /** Empty where the registry does not say. */
  readonly artifactType: string;
}

/** Nobody answered, or nobody whose answer can be used. The message is for people. */
export class RegistryAway extends Error {
  override readonly name = 'RegistryAway';
}

export const digestPattern = /^sha256:[0-9a-f]{64}$/;
