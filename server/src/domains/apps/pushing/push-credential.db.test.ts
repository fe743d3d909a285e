import { expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { openWorld } from '../../../testing/world.ts';

it('a credential to push is refused where the installation has no registry, and the answer says where to push instead', async () => {
  const world = await openWorld({ registry: false });
  try {
    const { token: as, projectId } = await world.found('home');
    const post = (path: string, body: object) =>
      world.call('POST', `/api/v1${path}`, { as, key: systemIds.next(), body });
    const app = await post(`/projects/${projectId}/apps`, { slug: 'echo', name: 'Echo' });
    const refused = await post(`/apps/${app.body.id}/push-credentials`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: 'app_registry_absent' } });
    expect(refused.body.message).toContain('push to one that its operators have named');
  } finally {
    await world.close();
  }
});
