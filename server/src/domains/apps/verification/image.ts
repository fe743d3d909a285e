import type { RepositoryPlace } from '../../../ports/registry/port.ts';

/** `registry.example.com/team/echo` in its two halves; undefined where it has only one. */
export function placeOf(imageRepository: string): RepositoryPlace | undefined {
  const at = imageRepository.indexOf('/');
  return at < 1 ? undefined : { registry: imageRepository.slice(0, at), repository: imageRepository.slice(at + 1) };
}

export interface Source {
  readonly registry: string;
  readonly repository: string;
}
/** Whether an operator lets verified images come from there. A path ends at a slash: `team` does not let `team-of-others` in. */
export const isFrom = (place: RepositoryPlace, sources: readonly Source[]): boolean =>
  sources.some(
    ({ registry, repository }) =>
      registry === place.registry &&
      (repository === '' || place.repository === repository || place.repository.startsWith(`${repository}/`)),
  );
