import type { AppManifest } from '@gpuaas/contract/apps';
import { type AppInstance, type CatalogVersion, type Gpuaas, GpuaasError } from '@gpuaas/sdk';
import { readToken } from '../../account/credentials.ts';
import type { Run, Session } from '../../command.ts';
import { exitCodes, Failure } from '../../failure.ts';
import { readLength } from '../../input/read-input.ts';
import { plain } from '../../show/value.ts';
import { parametersOf, readPlace } from '../place.ts';
import { readManifest } from '../read-manifest.ts';
import { routeCaller } from './call-route.ts';
import { type Checklist, openChecklist } from './checklist.ts';
import { probeEndpoints } from './probe.ts';

/**
 * The conformance kit: one instance of a published version goes through everything that an instance can meet, and is released in the end.
 * A step that fails ends the list, because those behind it would only repeat its reason.
 */
const usualFile = 'app.yaml';
const betweenMs = 1_000;
/** The app-proxy reports each minute. */
const useWithinMs = 180_000;
const usualPatience = '20m';
const ended = new Set(['failed', 'released']);

interface Kit {
  readonly session: Session;
  readonly api: Gpuaas;
  readonly list: Checklist;
  readonly id: string;
  readonly patienceMs: number;
}
class Stopped extends Error {}

export const test: Run = async (session) => {
  const path = session.given.positionals[0] ?? usualFile;
  const manifest = await readManifest(path, session.text('image'));
  const api = await session.api();
  const list = openChecklist(session);
  list.passed(`${path} is a manifest`);
  const found = await findPublished(session, api, manifest);
  list.passed(`${found.reference} ${manifest.metadata.version} is published and may be launched here`);
  const patienceMs = readLength(session.text('timeout') ?? usualPatience, '--timeout') * 1_000;
  const place = await readPlace(session, api);
  const { id } = await api.appInstances.create(
    {
      ...{ app: found.reference, version: manifest.metadata.version, name: `test of ${manifest.metadata.slug}` },
      ...{ parameters: parametersOf(session), ...place },
    },
    { project: await session.project() },
  );
  const kit: Kit = { session, api, list, id, patienceMs };
  try {
    await live(kit, manifest);
  } catch (error) {
    if (error instanceof GpuaasError) list.failed('every step is taken', error.message, `gpuaas app timeline ${id}`);
    else if (!(error instanceof Stopped)) throw error;
  } finally {
    await release(kit);
  }
  return list.end() as typeof exitCodes.ok;
};

/** The version of the file, as the project finds it: what is tested is what others would launch. */
async function findPublished(session: Session, api: Gpuaas, manifest: AppManifest) {
  const { slug, version } = manifest.metadata;
  const next = 'Publish it with gpuaas app publish, and test it then.';
  for await (const app of api.apps.catalogList({}, { project: await session.project() })) {
    if (!app.own || app.reference.split('/')[1] !== slug) continue;
    let found: CatalogVersion | undefined;
    for await (const each of api.apps.catalogVersionList({ app_id: app.id }, { project: await session.project() })) {
      if (each.version === version) found = each;
    }
    if (!found) break;
    if (found.manifest.runtime.image !== manifest.runtime.image) {
      throw new Failure(exitCodes.conflict, `${app.reference} ${version} is published with another image.`, {
        next: 'Publish the new image under another version, or give the image of this one with --image.',
      });
    }
    if (!found.launchable) {
      throw new Failure(
        exitCodes.conflict,
        `${app.reference} ${version} cannot be launched: ${plain(found.reason ?? 'the server does not say why')}`,
      );
    }
    return { reference: app.reference };
  }
  throw new Failure(exitCodes.notFound, `This project publishes no ${slug} ${version}.`, { next });
}

async function live(kit: Kit, manifest: AppManifest): Promise<void> {
  const { session, api, list, id } = kit;
  const instance = await reach(kit, 'it becomes ready', 'running');
  const token = await readToken(await session.profile(), session.around.env);
  const through = await probeEndpoints({ ...{ api, list, token, manifest, instance }, call: routeCaller(session) });
  await expectUse(kit, through);
  await api.appInstances.upgrade({ app_instance_id: id, version: instance.app_version, parameters: {} });
  const moved = await reach(kit, 'it moves to the same version again', 'running', true);
  // The old container comes back by itself when the new one does not become ready; nothing leads further back then.
  if (moved.previous_version === null) {
    list.failed('the move lasts', 'The new container did not become ready.', `gpuaas app timeline ${id}`);
    return;
  }
  await api.appInstances.rollback({ app_instance_id: id });
  await reach(kit, 'it goes back', 'running', true);
  await api.appInstances.stop({ app_instance_id: id });
  await reach(kit, 'it stops', 'stopped');
  await api.appInstances.start({ app_instance_id: id });
  await reach(kit, 'it starts again', 'running');
}

const sleepOf = (session: Session) =>
  session.around.parts?.sleep ?? ((ms: number) => new Promise((resolve) => setTimeout(resolve, ms)));

/** Waits for a state in which no version is being changed. */
async function reach(kit: Kit, check: string, state: string, isMove = false): Promise<AppInstance> {
  const sleep = sleepOf(kit.session);
  for (let waitedMs = 0; ; waitedMs += betweenMs) {
    const now = await kit.api.appInstances.get({ app_instance_id: kit.id });
    if (now.state === state && now.version_change === null) {
      kit.list.passed(check);
      return now;
    }
    const why = now.failure_reason ?? now.end_reason ?? `it is ${now.state}${now.phase ? ` (${now.phase})` : ''}`;
    if (ended.has(now.state) || waitedMs >= kit.patienceMs) {
      const next = isMove ? 'gpuaas app timeline shows each step.' : `gpuaas app logs ${kit.id} shows what it printed.`;
      kit.list.failed(check, plain(why), next);
      throw new Stopped(check);
    }
    await sleep(betweenMs);
  }
}

async function expectUse(kit: Kit, through: number): Promise<void> {
  const check = 'its use is counted';
  if (through === 0) return kit.list.notAsked(check, 'No request went through to the app.');
  const sleep = sleepOf(kit.session);
  let seen = 0;
  for (let waitedMs = 0; waitedMs <= useWithinMs; waitedMs += betweenMs) {
    const { data } = await kit.api.appInstances.use({ app_instance_id: kit.id });
    seen = data.reduce((sum, { requests }) => sum + requests, 0);
    if (seen >= through) return kit.list.passed(`${check}: ${seen} requests`);
    await sleep(betweenMs);
  }
  kit.list.failed(
    check,
    `${through} requests went through and ${seen} were counted.`,
    'Ask the operator whether the app-proxy reports.',
  );
}

async function release({ api, list, id, session, patienceMs }: Kit): Promise<void> {
  const check = 'it is released';
  const sleep = sleepOf(session);
  await api.appInstances.release({ app_instance_id: id }).catch(() => undefined);
  for (let waitedMs = 0; waitedMs <= patienceMs; waitedMs += betweenMs) {
    const { state } = await api.appInstances.get({ app_instance_id: id });
    if (state === 'released') return list.passed(check);
    await sleep(betweenMs);
  }
  list.failed(check, 'It is still there.', `gpuaas app release ${id}`);
}
