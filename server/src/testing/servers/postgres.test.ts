import { expect, it } from 'vitest';
import { sortVersions } from './postgres.ts';

it('tests take the oldest PostgreSQL that is promised to work, before newer and older ones', () => {
  expect(sortVersions(['17', '15', '9.6', '14', '16'])).toEqual(['15', '16', '17', '14', '9.6']);
  expect(sortVersions(['17', '18'])).toEqual(['17', '18']);
  expect(sortVersions([])).toEqual([]);
});
