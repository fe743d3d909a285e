import { expect, it } from 'vitest';
import { judgeMessage } from './commit-message.ts';

it.each([
  'Projects can be archived and taken up again\n\nPeople deleted what they only wanted out of sight.',
  'The bus keeps order per key\n\nAlso through a redelivery.\n',
])('accepts %j', (text) => {
  expect(judgeMessage(text)).toEqual([]);
});

it.each([
  ['fix', 'say in a few words'],
  [`A${'a'.repeat(120)}`, '121 characters'],
  ['Projects can be archived.', 'no full stop'],
  ['WIP projects can be archived', 'finish it'],
  ['Projects can be archived\nand restored', 'second line empty'],
  ['Projects can be archived', 'say in the body why'],
  ['Projects can be archived\n\n# a line of the editor\n', 'say in the body why'],
])('refuses %j', (text, words) => {
  expect(judgeMessage(text).join()).toContain(words);
});
