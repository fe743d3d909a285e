import { writeFile } from 'node:fs/promises';
import { type AppManifest, checkManifest } from '@gpuaas/contract/apps';
import type { App, Gpuaas } from '@gpuaas/sdk';
import { stringify } from 'yaml';
import type { Run, Session } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { showOne } from '../show/output.ts';
import { plain } from '../show/value.ts';
import { readCompose } from './compose/compose-file.ts';
import { convert } from './compose/convert.ts';
import { readManifest, readText, readYaml } from './read-manifest.ts';
import { type TemplateName, templates } from './templates.ts';

const usual = 'app.yaml';
/** What templates have in place of a digest. */
const nothing = `@sha256:${'0'.repeat(64)}`;
const columns = ['id', 'version', 'lifecycle_state', 'trust_state', 'channel', 'image_digest'];

async function writeManifest(path: string, manifest: AppManifest): Promise<void> {
  try {
    // A manifest that is there already may be the only copy.
    await writeFile(path, stringify(manifest), { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') {
      throw usageFailure(`${path} is there already.`, 'Choose another file with --file.');
    }
    throw cause;
  }
}

export const init: Run = async (session) => {
  const slug = session.arg(0);
  const path = session.text('file') ?? usual;
  const from = session.text('from');
  if (from !== undefined) return initFromCompose(session, { slug, path, from });
  const kind = (session.text('template') ?? 'browser') as TemplateName;
  const manifest = templates[kind](slug);
  if ('problems' in checkManifest(manifest)) throw notSlug(slug);
  await writeManifest(path, manifest);
  session.say(`Wrote ${path}. Put the digest of your image into runtime.image, then: gpuaas app validate`);
  return exitCodes.ok;
};
const notSlug = (slug: string) =>
  usageFailure(`${slug} is no slug: use letters a to z, digits and hyphens, at most 63.`);

/** One service becomes the file that was asked for; several become one file each, because an app has one container. */
async function initFromCompose(
  session: Session,
  { slug, path, from }: { readonly slug: string; readonly path: string; readonly from: string },
) {
  const compose = readCompose(readYaml(await readText(from), from));
  if (!compose) throw usageFailure(`${from} has no services.`, 'Give a file of compose: services with an image each.');
  const names = Object.keys(compose.services);
  const made = names.map((name) => {
    const own = names.length === 1 ? slug : `${slug}-${name.toLowerCase().replaceAll('_', '-')}`;
    const file = names.length === 1 ? path : path.replace(/(\.[a-z]+)?$/, (ending) => `.${name}${ending}`);
    return { file, ...convert(own, name, compose.services[name] ?? {}) };
  });
  for (const { manifest, file } of made) {
    const checked = checkManifest(manifest);
    if (!('problems' in checked)) continue;
    const [first] = checked.problems;
    if (first.field === 'metadata.slug') throw notSlug(manifest.metadata.slug);
    throw usageFailure(
      `${file} would be no manifest: ${first.field} ${first.message}.`,
      `Change ${from}, and try again.`,
    );
  }
  for (const { manifest, file } of made) {
    await writeManifest(file, manifest);
    session.say(`Wrote ${file}.`);
  }
  const leftOut = [...compose.leftOut, ...made.flatMap((each) => each.leftOut)];
  if (leftOut.length > 0) session.say('Not taken over as it stands there:');
  for (const line of leftOut) session.say(`  ${plain(line)}`);
  session.say('Look at each line, then: gpuaas app validate');
  return exitCodes.ok;
}

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
