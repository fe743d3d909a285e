import { hostConformance } from '../conformance.ts';
import { isRoot, makeFixture } from './testing/fixture.ts';

// A terminal of somebody else needs root: without it the host says so, and the suite asks that it does.
hostConformance('linux, on a tree', async () => {
  const fixture = await makeFixture();
  return {
    limitations: ['slices', 'slice containers', 'reimage', ...(isRoot ? [] : (['shells'] as const))],
    login: fixture.login,
    open: () => fixture.open(),
    crash: () => fixture.crash(),
    keysOf: ({ username }) => fixture.keysOf(username),
    close: () => fixture.close(),
  };
});
