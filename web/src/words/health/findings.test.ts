import { expect, it } from 'vitest';
import { findStuck, spellValue, stuckAsked, stuckShown } from './findings.ts';

const spelled = (n: number) => findStuck({ data: { data: Array(n).fill({}) }, error: null }).map(spellValue);

it('says that there are more stuck workflows than its page has', () => {
  expect(spelled(stuckAsked)).toEqual(['100+']);
  expect(spelled(stuckShown)).toEqual(['100']);
  expect(spelled(0)).toEqual(['0']);
});

it('says nothing before the engine has answered, and that it does not answer', () => {
  expect(findStuck({ data: undefined, error: null })).toEqual([]);
  expect(findStuck({ data: undefined, error: new Error('away') })).toMatchObject([{ status: 'bad', value: null }]);
});
