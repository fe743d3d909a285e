import { expect, it } from 'vitest';
import { messageOf } from './message.ts';

it('what is said of an allocation on a simulated host says so, and of another one does not', () => {
  const facts = (simulated: boolean) => ({ payload: { simulated }, allocation: 'trainer', organization: undefined });
  const said = (simulated: boolean) => messageOf('allocation_active', facts(simulated)).text.join(' ');
  expect(said(true)).toContain('It is charged from now on. Its host is simulated: there is no such machine.');
  expect(said(false)).not.toContain('simulated');
});
