import {
  type AppLifecycleState,
  type AppTrustState,
  appArtifactMachine,
  appStandings,
  appTrustMachine,
  isFor,
} from '@gpuaas/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actsOf, sql, systemViewer } from '../../kernel/act.ts';
import { systemIds } from '../../kernel/id.ts';
import { asSystem, openWorld, type Tenant, type World } from '../../testing/world.ts';
import { findLaunchable, type Wanted } from './index.ts';
import { putVersion } from './testing.ts';

/** Every cell of lifecycle and trust, asked by the publisher and by another organization. */
let world: World;
let publisher: Tenant;
let other: Tenant;
beforeAll(async () => {
  world = await openWorld();
  publisher = await world.found('publisher');
  other = await world.found('other');
});
afterAll(() => world.close());

const asOrganization = ({ organizationId, projectId }: Tenant) => ({
  ...systemViewer('test', { correlationId: systemIds.next(), organizationId, projectId }),
  reach: 'organization' as const,
});
/** Through the walls of the asking organization, as a request of it would. */
const find = (who: Tenant, wanted: Wanted) =>
  world.database.database.read(asOrganization(who), (tx) => findLaunchable(tx, who, wanted));
/** As our own processes ask, for whom there are no walls. */
const findInside = (who: Tenant, wanted: Wanted) =>
  world.database.database.read(systemViewer('test', { correlationId: systemIds.next() }), (tx) =>
    findLaunchable(tx, who, wanted),
  );

const cells = Object.keys(appArtifactMachine.states).flatMap((lifecycle) =>
  Object.keys(appTrustMachine.states).map((trust) => [lifecycle as AppLifecycleState, trust as AppTrustState] as const),
);

describe('a version of an app that everybody may find', () => {
  it('has an answer for every cell', () => {
    expect(cells).toHaveLength(16);
    for (const [lifecycle, trust] of cells) expect(appStandings[lifecycle][trust]).toBeDefined();
  });

  it.each(cells)('that is %s and %s is seen, launched and upgraded to as the table says', async (lifecycle, trust) => {
    const { versionId } = await putVersion(world, publisher, { lifecycle, trust, visibility: 'platform' });
    const cell = appStandings[lifecycle][trust];
    for (const [who, isPublisher] of [
      [publisher, true],
      [other, false],
    ] as const) {
      const [found, inside] = [await find(who, { versionId }), await findInside(who, { versionId })];
      expect(inside).toEqual(found);
      expect(found !== undefined).toBe(isFor(cell.seen, isPublisher));
      if (!found) continue;
      expect(found).toMatchObject({ isPublisher, lifecycle, trust });
      expect(found.launch.allowed).toBe(isFor(cell.launch, isPublisher));
      expect(found.upgrade.allowed).toBe(isFor(cell.upgrade, isPublisher));
      expect(found.keepsRunning).toBe(cell.run === 'yes');
      for (const may of [found.launch, found.upgrade]) if (!may.allowed) expect(may.reason).toMatch(/^This |^The /);
    }
  });
});

describe('an app', () => {
  const good = { lifecycle: 'promoted', trust: 'verified' } as const;
  it('of a project is there for that project alone', async () => {
    const { versionId } = await putVersion(world, publisher, { ...good, visibility: 'project' });
    const made = await world.call('POST', `/api/v1/organizations/${publisher.organizationId}/projects`, {
      ...{ as: publisher.token, key: systemIds.next() },
      body: { name: 'Second', slug: `second-${systemIds.next().slice(-8)}` },
    });
    const sibling = { ...publisher, projectId: made.body.id as string };
    expect(await find(publisher, { versionId })).toMatchObject({ launch: { allowed: true } });
    expect(await find(sibling, { versionId })).toBeUndefined();
    expect(await find(other, { versionId })).toBeUndefined();
    expect(await findInside(other, { versionId })).toBeUndefined();
  });

  it('of an organization is there for others who are entitled, by organization or by project', async () => {
    const { appId, versionId } = await putVersion(world, publisher, { ...good, visibility: 'organization' });
    expect(await find(other, { versionId })).toBeUndefined();
    const entitle = (projectId: string | null) =>
      asSystem(
        world.root,
        `insert into app_entitlements (id, publisher_id, app_id, organization_id, project_id) values ($1, $2, $3, $4, $5)`,
        [systemIds.next(), publisher.organizationId, appId, other.organizationId, projectId],
      );
    await entitle(other.projectId);
    expect(await find(other, { versionId })).toMatchObject({ isPublisher: false, launch: { allowed: true } });
    expect(await find({ ...other, projectId: systemIds.next() }, { versionId })).toBeUndefined();
    await entitle(null);
    expect(await find({ ...other, projectId: systemIds.next() }, { versionId })).toBeDefined();
  });

  it('named without a version is the newest that may be launched: promoted before what its publisher tries out', async () => {
    const { appId, reference } = await putVersion(world, publisher, {
      ...good,
      visibility: 'platform',
      version: '1.9.0',
    });
    await putVersion(world, publisher, { ...good, appId, version: '1.10.0' });
    await putVersion(world, publisher, { appId, version: '2.0.0' });
    await putVersion(world, publisher, { lifecycle: 'retired', trust: 'verified', appId, version: '3.0.0' });
    expect(await find(publisher, { reference })).toMatchObject({ version: '1.10.0' });
    expect(await find(publisher, { reference, version: '2.0.0' })).toMatchObject({ launch: { allowed: true } });
    expect(await find(other, { reference })).toMatchObject({ version: '1.10.0' });
    expect(await find(other, { reference, version: '2.0.0' })).toBeUndefined();
    expect(await find(other, { reference: 'nobody/nothing' })).toBeUndefined();
  });
});

describe('the trust of a version', () => {
  it.each([
    ['unverified', `state = 'verified', verified_at = now()`, 'permission denied'],
    ['failed_verification', `state = 'verified'`, 'row-level security'],
  ])('that is %s cannot be given by the api: the database refuses', async (trust, change, refusal) => {
    const { versionId } = await putVersion(world, publisher, { trust });
    const give = sql(
      `test-trust-${trust}`,
      `update app_version_trust set ${change}, version = version + 1 where id = $1`,
    );
    const act = actsOf('test', systemIds)('app_version.verify', { correlationId: systemIds.next() });
    const given = world.database.database.write(act, async (tx) => {
      await tx.run(give, [versionId]);
      return tx.commit(undefined, { target: { type: 'app_version', id: versionId }, events: 'none' });
    });
    await expect(given).rejects.toThrow(refusal);
  });
});
