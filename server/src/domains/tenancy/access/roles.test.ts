import { describe, expect, it } from 'vitest';
import { grantFault, higher } from './roles.ts';

const roles = ['finance', 'viewer', 'member', 'admin', 'owner'] as const;
const some = [undefined, ...roles] as const;

describe('a grant', () => {
  it.each(some.flatMap((by) => some.flatMap((from) => some.map((to) => ({ by, from, to })))))(
    'by $by that turns $from into $to follows the rules, to others and to oneself',
    ({ by, from, to }) => {
      const touchesOwner = from === 'owner' || to === 'owner';
      const expected =
        by !== 'owner' && by !== 'admin'
          ? 'insufficient_permissions'
          : by === 'admin' && touchesOwner
            ? 'ownership_required'
            : undefined;
      expect(grantFault({ by, toSelf: false, from, to })?.code).toBe(expected);
      const rises = some.indexOf(to) > some.indexOf(from);
      expect(grantFault({ by, toSelf: true, from, to })?.code).toBe(
        expected ?? (rises ? 'insufficient_permissions' : undefined),
      );
    },
  );
});

describe('of two roles', () => {
  it.each(roles.flatMap((one) => roles.map((other) => [one, other] as const)))(
    '%s and %s the higher counts',
    (a, b) => {
      expect(higher(a, b)).toBe(roles[Math.max(roles.indexOf(a), roles.indexOf(b))]);
    },
  );
  it('one alone counts as it is', () => expect(higher('viewer', undefined)).toBe('viewer'));
});
