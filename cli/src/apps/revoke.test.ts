import { describe, expect, it } from 'vitest';
import { rehearse } from '../testing.ts';

const id = '01935a2c-0000-7000-8000-000000000003';
const affected = `GET /api/v1/admin/app-versions/${id}/affected`;
const revoked = `POST /api/v1/admin/app-versions/${id}/revoke`;
const args = ['ops', 'app', 'revoke', id, '--reason', 'it calls home', '--effect', 'stop'];
const world = {
  [affected]: { instances: 3, organizations: 2, projects: 2, affected: [] },
  [revoked]: { version: { id }, affected: [] },
};

describe('gpuaas ops app revoke', () => {
  it('says whom it affects before it asks, and takes no for an answer', async () => {
    const no = await rehearse(args, world, { isTTY: true, stdin: 'n\n' });
    expect(no.code).toBe(2);
    expect(no.err).toContain('3 instances of 2 projects and 2 organizations run it and will be stopped.');
    expect(no.err.indexOf('3 instances')).toBeLessThan(no.err.indexOf('? Revoke the trust'));
    expect(no.asked.map(({ request }) => request)).toEqual([affected]);
  });

  it('revokes after a yes, with the reason and the effect', async () => {
    const yes = await rehearse([...args, '--yes'], world);
    expect(yes.code).toBe(0);
    expect(yes.asked.map(({ request }) => request)).toEqual([affected, revoked]);
  });
});
