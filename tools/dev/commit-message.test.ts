import { expect, it } from 'vitest';
import { judgeMessage } from './commit-message.ts';

it.each(['Projects can be archived and taken up again', 'The bus keeps order per key\n\nAlso through a redelivery.\n'])(
  'accepts %j',
  (text) => {
    expect(judgeMessage(text)).toEqual([]);
  },
);

it.each([
  ['fix', 'say in a few words'],
  [`A${'a'.repeat(120)}`, '121 characters'],
  ['Projects can be archived.', 'no full stop'],
  ['WIP projects can be archived', 'finish it'],
  ['Projects can be archived\nand restored', 'second line empty'],
])('refuses %j', (text, words) => {
  expect(judgeMessage(text).join()).toContain(words);
});
