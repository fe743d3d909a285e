import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actsOf } from '../../../kernel/act.ts';
import { makeTestClock, systemClock } from '../../../kernel/clock.ts';
import { systemIds } from '../../../kernel/id.ts';
import { silentLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { hourMs } from '../../../kernel/units.ts';
import type { DatabasePort } from '../../../ports/database/port.ts';
import { openPostgres } from '../../../ports/database/postgres.ts';
import { openWorld, type Tenant, type World } from '../../../testing/world.ts';
import { testManifest } from '../testing.ts';
import { type MemoryRegistry, makeMemoryRegistry, makeSigner, putSigned } from './testing.ts';
import { makeAppVerifier } from './verifier.ts';

/** From an image in a registry to a version that others launch, by a member who is no administrator. */
let world: World;
let worker: DatabasePort;
const metrics = makeMetrics('test', '0');
let home: Tenant;
let other: Tenant;
let member: string;
let operator: string;
let registry: MemoryRegistry;
const failures: unknown[] = [];
const signer = makeSigner();
/** The clock of the worker, ahead of the one of the api, so that what was asked for is due. */
const clock = makeTestClock(new Date(Date.now() + hourMs));
beforeAll(async () => {
  world = await openWorld();
  const url = world.schema.as('gpuaas_worker');
  worker = await openPostgres({ url, clock: systemClock, ids: systemIds, log: silentLog, name: 'test', poolSize: 4 });
  home = await world.found('home');
  other = await world.found('other');
  member = await world.join('maker', home, 'member');
  operator = await world.operator();
  await ask('POST', '/admin/app-sources', { registry: 'registry.example.com', repository: 'demo' }, operator);
  await ask('POST', `/projects/${home.projectId}/app-signing-keys`, { name: 'release', public_key: signer.pem });
});
beforeEach(() => {
  registry = makeMemoryRegistry();
});
afterAll(async () => {
  await worker.close();
  await world.close();
});

const ask = async (method: string, path: string, body?: unknown, as = member, project?: string) => {
  const reply = await world.call(method, `/api/v1${path}`, {
    as,
    ...(method !== 'GET' && { key: systemIds.next() }),
    ...(body !== undefined && { body }),
    headers: project === undefined ? {} : { 'x-project-id': project },
  });
  if (reply.status >= 500) throw new Error(reply.text);
  return reply;
};
async function publish(digest: string) {
  const slug = `app-${systemIds.next().slice(-12)}`;
  const app = await ask('POST', `/projects/${home.projectId}/apps`, { slug, name: 'Echo', visibility: 'platform' });
  const manifest = testManifest({ slug, image: `registry.example.com/demo/echo@${digest}` });
  const made = await ask('POST', `/apps/${app.body.id}/versions`, { manifest });
  expect(made.status, made.text).toBe(201);
  return { appId: app.body.id as string, id: made.body.id as string };
}
/** One round of the verifier, as the worker runs it. */
async function round() {
  const verifier = makeAppVerifier({
    ...{ db: worker.database, ids: systemIds, clock, registry, metrics },
    begin: actsOf('app-verifier', systemIds),
    log: {
      ...silentLog,
      error: (about: unknown) => {
        failures.push(about);
      },
    },
    policy: (key) => (key === 'apps.verification_retry_seconds' ? 60 : 600),
  });
  while ((await verifier.round(new AbortController().signal)) === 'more');
  expect(failures).toEqual([]);
}
const show = async (id: string) => (await ask('GET', `/app-versions/${id}`)).body;
const metric = async (name: string) => new RegExp(`^${name}\\{?.*\\}? (\\S+)$`, 'm').exec(await metrics.scrape())?.[1];

describe('verification', () => {
  it('lets a member bring a version to prod, and another organization find and take it', async () => {
    const version = await publish(putSigned(registry, signer.secret, 'the first'));
    for (const _ of ['test', 'staging']) await ask('POST', `/app-versions/${version.id}/promote`, {});
    expect((await ask('POST', `/app-versions/${version.id}/promote`, {})).body.code).toBe('app_version_untrusted');
    await round();
    const shown = await show(version.id);
    expect(shown).toMatchObject({ trust_state: 'verified', verification: { due_at: null, trouble: null } });
    expect(shown.evidence.map(({ subject, result }: Record<string, string>) => `${subject} ${result}`)).toEqual([
      ...['source passed', 'digest passed', 'signature passed', 'sbom passed'],
    ]);
    expect((await ask('POST', `/app-versions/${version.id}/promote`, {})).body).toMatchObject({
      ...{ channel: 'prod', lifecycle_state: 'promoted' },
    });
    const found = await ask('GET', `/catalog/apps/${version.appId}/versions`, undefined, other.token, other.projectId);
    expect(found.body.data).toMatchObject([{ id: version.id, launchable: true }]);
    const { rows } = await world.root.query(
      `select subject as type from outbox_events where envelope -> 'payload' ->> 'app_version_id' = $1 and subject like '%verif%'`,
      [version.id],
    );
    expect(rows).toEqual([{ type: 'apps.artifact.verified' }]);
  });

  it('leaves a version open while something is missing, looks again by itself, and at once when it is asked to', async () => {
    const unsigned = registry.putManifest({ layers: [{ mediaType: 'x', digest: registry.putBlob('unsigned') }] });
    const version = await publish(unsigned);
    await round();
    const shown = await show(version.id);
    expect(shown).toMatchObject({ trust_state: 'unverified', verification: { tries: 1, trouble: null } });
    expect(shown.evidence.at(-2)).toEqual({
      ...{ subject: 'signature', result: 'missing', detail: 'The image has no signature.' },
    });
    expect(Date.parse(shown.verification.due_at) - clock.now().getTime()).toBeGreaterThan(50_000);
    const before = registry.asked.length;
    await round();
    expect(registry.asked.length).toBe(before);
    expect((await ask('POST', `/app-versions/${version.id}/verify`)).status).toBe(200);
    await round();
    expect(registry.asked.length).toBeGreaterThan(before);
  });

  it('fails a version whose signature is by another key, and verifies it when it was signed again', async () => {
    const digest = putSigned(registry, makeSigner().secret, 'by a stranger');
    const version = await publish(digest);
    await round();
    const failed = await show(version.id);
    expect(failed).toMatchObject({ trust_state: 'failed_verification', verification: { due_at: null } });
    const after = registry.asked.length;
    await clock.advance(86_400_000);
    await round();
    expect(registry.asked.slice(after).filter((each) => each.includes(digest))).toEqual([]);

    expect(putSigned(registry, signer.secret, 'by a stranger')).toBe(digest);
    await ask('POST', `/app-versions/${version.id}/verify`);
    await round();
    expect(await show(version.id)).toMatchObject({ trust_state: 'verified' });
    expect((await ask('POST', `/app-versions/${version.id}/verify`)).body.code).toBe('illegal_transition');
  });

  it('says nothing for or against a version whose registry gives no usable answer, and tries less and less often', async () => {
    const version = await publish(putSigned(registry, signer.secret, 'behind a cloud'));
    registry.trouble = 'registry.example.com did not answer in time';
    await round();
    expect(await show(version.id)).toMatchObject({
      ...{ trust_state: 'unverified', evidence: [] },
      verification: { tries: 1, trouble: 'registry.example.com did not answer in time' },
    });
    expect(await metric('gpuaas_app_verifications_troubled')).toBe('1');
    for (const waits of [120, 240, 480, 600, 600]) {
      await clock.advance(601_000);
      await round();
      const { verification } = await show(version.id);
      expect(Math.round((Date.parse(verification.due_at) - clock.now().getTime()) / 1_000)).toBe(waits);
    }
    registry.trouble = undefined;
    await clock.advance(601_000);
    await round();
    expect(await show(version.id)).toMatchObject({
      trust_state: 'verified',
      verification: { tries: 0, trouble: null },
    });
    expect(await metric('gpuaas_app_verifications_troubled')).toBe('0');
  });

  it('stores no answer about what was asked for again in the meantime, nor about what was revoked', async () => {
    const version = await publish(putSigned(registry, signer.secret, 'in between'));
    const at = registry.at.bind(registry);
    let once = true;
    registry.at = (place) => {
      const repository = at(place);
      return {
        ...repository,
        async referrers(digest) {
          if (once) {
            once = false;
            await ask(
              'POST',
              `/admin/app-versions/${version.id}/revoke`,
              { reason: 'a test', effect: 'stop' },
              operator,
            );
          }
          return repository.referrers(digest);
        },
      };
    };
    await round();
    expect(await show(version.id)).toMatchObject({ trust_state: 'revoked', evidence: [] });
  });

  it('says whom a revocation would affect before anybody confirms it', async () => {
    const version = await publish(putSigned(registry, signer.secret, 'affected'));
    const shown = await ask('GET', `/admin/app-versions/${version.id}/affected`, undefined, operator);
    expect(shown.body).toEqual({ instances: 0, organizations: 0, projects: 0, affected: [] });
  });

  it('takes a source of images once', async () => {
    const again = { registry: 'registry.example.com', repository: 'demo' };
    expect((await ask('POST', '/admin/app-sources', again, operator)).body.code).toBe('app_source_exists');
  });

  it('takes a key once, refuses what is none, and shows the keys of a project to others not at all', async () => {
    const path = `/projects/${home.projectId}/app-signing-keys`;
    expect((await ask('POST', path, { name: 'again', public_key: signer.pem })).body.code).toBe(
      'app_signing_key_exists',
    );
    expect((await ask('POST', path, { name: 'no key', public_key: 'ssh-ed25519 AAAA' })).body.code).toBe(
      'app_signing_key_invalid',
    );
    expect((await ask('GET', path, undefined, other.token)).status).toBe(404);
    const made = await ask('POST', path, { name: 'second', public_key: makeSigner().pem });
    expect((await ask('DELETE', `${path}/${made.body.id}`)).status).toBe(200);
    expect((await ask('GET', path)).body.data.map(({ name }: { name: string }) => name)).toEqual(['release']);
  });
});
