import type { StorageNamespace } from '@gpuaas/sdk';

/** Paths of storage in words and pieces: `datasets/imagenet/train/` is a namespace and a folder in it. */
const single = new Set(['shared', 'artifacts']);
const depthOf = (path: string): number => (single.has(path.split('/')[0] ?? '') ? 1 : 2);

/** `datasets/imagenet/` of everything that lies in it. */
export const namespaceOf = (path: string): string => `${path.split('/').slice(0, depthOf(path)).join('/')}/`;

export interface Crumb {
  readonly label: string;
  readonly path: string;
}
/** The namespace, and each folder on the way to a path. */
export function crumbsOf(path: string): readonly Crumb[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const depth = Math.min(depthOf(path), segments.length);
  const [namespace, folders] = [segments.slice(0, depth), segments.slice(depth)];
  return [
    { label: namespace.join('/'), path: `${namespace.join('/')}/` },
    ...folders.map((label, index) => ({
      label,
      path: `${[...namespace, ...folders.slice(0, index + 1)].join('/')}/`,
    })),
  ];
}

/** The folder that holds a file or a folder. */
export const folderOf = (path: string): string => path.replace(/[^/]+\/?$/, '');

/** What belongs into each kind of namespace. */
export const kindWords: Readonly<Record<StorageNamespace['kind'], string>> = {
  shared: 'anything of the project',
  datasets: 'data with a name of its own',
  checkpoints: 'what training has reached',
  artifacts: 'results',
  workloads: 'files of one allocation or app',
  users: 'files of one person',
};

/** `12.5 MiB`, in steps of 1,024, as the quota counts. */
export function spellSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let [value, step] = [bytes, 0];
  while (value >= 1_024 && step < units.length - 1) [value, step] = [value / 1_024, step + 1];
  return `${step > 0 && value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${units[step]}`;
}

/** The name of a copy beside its original: `model.bin` becomes `model copy.bin`. */
export const copyName = (name: string): string => name.replace(/(\.[^.]+)?$/, ' copy$1');
