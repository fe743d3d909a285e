import { describe, expect, it } from 'vitest';
import { copyName, crumbsOf, folderOf, namespaceOf, spellSize } from './files.ts';

describe('a path of storage in words', () => {
  it('has its namespace as one crumb, and one for each folder', () => {
    expect(crumbsOf('datasets/imagenet/train/cats/')).toEqual([
      { label: 'datasets/imagenet', path: 'datasets/imagenet/' },
      { label: 'train', path: 'datasets/imagenet/train/' },
      { label: 'cats', path: 'datasets/imagenet/train/cats/' },
    ]);
    expect(crumbsOf('shared/')).toEqual([{ label: 'shared', path: 'shared/' }]);
  });

  it.each([
    ['shared/a/b.bin', 'shared/', 'shared/a/'],
    ['datasets/mine/train/', 'datasets/mine/', 'datasets/mine/'],
    ['checkpoints/run-1/x', 'checkpoints/run-1/', 'checkpoints/run-1/'],
  ])('%s lies in %s, in the folder %s', (path, namespace, folder) => {
    expect([namespaceOf(path), folderOf(path)]).toEqual([namespace, folder]);
  });

  it.each([
    [0, '0 B'],
    [1_023, '1,023 B'],
    [1_536, '1.5 KiB'],
    [1_073_741_824_000, '1,000 GiB'],
  ])('%d bytes are %s', (bytes, words) => {
    expect(spellSize(bytes)).toBe(words);
  });

  it.each([
    ['model.bin', 'model copy.bin'],
    ['notes', 'notes copy'],
    ['a.tar.gz', 'a.tar copy.gz'],
  ])('a copy of %s is called %s', (name, copy) => {
    expect(copyName(name)).toBe(copy);
  });
});
