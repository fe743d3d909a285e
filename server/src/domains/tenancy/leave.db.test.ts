import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../kernel/id.ts';
import { openWorld, type Tenant, type World } from '../../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const leave = ({ organizationId }: Tenant, as: string) =>
  world.call('POST', `/api/v1/organizations/${organizationId}/leave`, { as, key: systemIds.next(), body: {} });
const sees = async ({ organizationId }: Tenant, as: string) =>
  (await world.call('GET', `/api/v1/organizations/${organizationId}`, { as })).status;

describe('leaving an organization', () => {
  it.each(['viewer', 'member', 'admin', 'owner'])(
    'is open to a %s, and the organization is gone for them',
    async (role) => {
      const home = await world.found(`home-of-${role}`);
      const token = await world.join(`somebody-${role}`, home, role);
      expect(await sees(home, token)).toBe(200);
      const left = await leave(home, token);
      expect(left.status, left.text).toBe(200);
      expect(await sees(home, token)).toBe(404);
      expect((await leave(home, token)).status).toBe(404);
      const { rows } = await world.root.query(
        `select a.change, e.envelope->'payload' as event from audit_logs a
       join outbox_events e on e.organization_id = a.organization_id and e.envelope->>'event_type' = 'tenancy.member.changed'
       where a.action = 'member.leave' and a.result = 'success' and a.organization_id = $1`,
        [home.organizationId],
      );
      expect(rows).toEqual([{ change: { role: [role, null] }, event: { user_id: left.body.user_id, role: null } }]);
    },
  );

  it('is not open to the last owner', async () => {
    const home = await world.found('lonely');
    expect((await leave(home, home.token)).body.code).toBe('last_owner');
    expect(await sees(home, home.token)).toBe(200);
  });

  it('leaves one of two owners behind when both go at once', async () => {
    const home = await world.found('both');
    const other = await world.join('other-owner', home, 'owner');
    const answers = await Promise.all([leave(home, home.token), leave(home, other)]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
  });
});
