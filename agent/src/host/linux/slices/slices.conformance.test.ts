import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe } from 'vitest';
import { imageBytes, makeSuite } from '../../conformance-rig.ts';
import { sliceCases } from '../../conformance-slices.ts';
import { makeFixture, treeSlices } from '../testing/fixture.ts';

/** What every host promises of slices, on a tree of an eight-GPU host with programs that only pretend. */
describe('host: linux, slices on a tree', () => {
  const suite = makeSuite(async () => {
    const fixture = await makeFixture();
    const digest = createHash('sha256').update(imageBytes).digest('hex');
    const images = join(fixture.folder, 'state/images');
    await mkdir(images, { recursive: true });
    await writeFile(join(images, `${digest}.raw`), imageBytes);
    return {
      limitations: ['reimage', 'slice containers'],
      login: fixture.login,
      open: () => fixture.open({ slices: treeSlices() }),
      crash: () => fixture.open({ slices: treeSlices() }),
      keysOf: ({ username }) => fixture.keysOf(username),
      close: () => fixture.close(),
    };
  });
  afterEach(() => suite.end());
  sliceCases(suite);
});
