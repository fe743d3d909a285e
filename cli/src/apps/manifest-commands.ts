import { writeFile } from 'node:fs/promises';
import { checkManifest } from '@gpuaas/contract/apps';
import type { App, Gpuaas } from '@gpuaas/sdk';
import { stringify } from 'yaml';
import type { Run, Session } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { showOne } from '../show/output.ts';
import { readManifest } from './read-manifest.ts';
import { type TemplateName, templates } from './templates.ts';

const usual = 'app.yaml';
/** What templates have in place of a digest. */
const nothing = `@sha256:${'0'.repeat(64)}`;
const columns = ['id', 'version', 'lifecycle_state', 'trust_state', 'channel', 'image_digest'];

export const init: Run = async (session) => {
  const kind = (session.text('template') ?? 'browser') as TemplateName;
  const manifest = templates[kind](session.arg(0));
  const checked = checkManifest(manifest);
  if ('problems' in checked) {
    throw usageFailure(`${session.arg(0)} is no slug: use letters a to z, digits and hyphens, at most 63.`);
  }
  const path = session.text('file') ?? usual;
  try {
    // A manifest that is there already may be the only copy.
    await writeFile(path, stringify(manifest), { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw usageFailure(`${path} is there already.`, 'Choose another file with --file.');
    }
    throw cause;
  }
  session.say(`Wrote ${path}. Put the digest of your image into runtime.image, then: gpuaas app validate`);
  return exitCodes.ok;
};

const pathOf = (session: Session): string => session.given.positionals[0] ?? usual;

export const validate: Run = async (session) => {
  const { metadata } = await readManifest(pathOf(session));
  session.say(`${pathOf(session)} is a manifest of ${metadata.slug} ${metadata.version}.`);
  return exitCodes.ok;
};

async function findOwn(api: Gpuaas, projectId: string, slug: string): Promise<App | undefined> {
  for await (const app of api.apps.list({ project_id: projectId })) if (app.slug === slug) return app;
  return undefined;
}

export const publish: Run = async (session) => {
  const manifest = await readManifest(pathOf(session), session.text('image'));
  if (manifest.runtime.image.endsWith(nothing)) {
    throw usageFailure(
      'runtime.image has a digest of zeros.',
      'Put the digest of your image there, or give it: --image IMAGE.',
    );
  }
  const [api, projectId] = [await session.api(), await session.project()];
  const { slug, name, summary } = manifest.metadata;
  const asked = session.text('visibility') as App['visibility'] | undefined;
  const app =
    (await findOwn(api, projectId, slug)) ??
    (await api.apps.create({ project_id: projectId, slug, name, summary, ...(asked && { visibility: asked }) }));
  if (asked && app.visibility !== asked) await api.apps.update({ app_id: app.id, visibility: asked });
  const version = await api.apps.versionPublish({ app_id: app.id, manifest });
  showOne(session, version, columns);
  session.say(`Published ${version.app_reference} ${version.version}. gpuaas app promote ${version.id} moves it on.`);
  return exitCodes.ok;
};
