import { expect, it } from 'vitest';
import { mostConnections } from '../../ports/connections.ts';
import { embeddedConnections } from '../../ports/database/embedded.ts';
import { processes } from '../processes.ts';
import { localPoolSize } from './local/shared-settings.ts';

it('the database of one machine has room for everything that its processes hold at most, and for a start', () => {
  const settings = { poolSize: localPoolSize, elsewhere: new Set<never>() };
  // A process that starts holds one more before its pools, and PostgreSQL keeps places for its superuser.
  const held = processes.map(({ spec }) => mostConnections(spec, settings) + 1).reduce((sum, each) => sum + each, 0);
  const room = 10;
  expect(held).toBeGreaterThan(100);
  expect(held + room).toBeLessThanOrEqual(embeddedConnections);
});
