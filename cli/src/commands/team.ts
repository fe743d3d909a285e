import { keepProfile } from '../account/profile.ts';
import type { Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { listing } from '../listing.ts';
import { resolveOrganization, resolveProjectNamed } from '../resolve.ts';
import { formatOf, showOne } from '../show/output.ts';
import { plain } from '../show/value.ts';

const columns = ['id', 'slug', 'name', 'state', 'organization_id', 'created_at'];

/** Of all organizations, unless one is given. */
export const projectList = listing(
  async function* (api, session) {
    const state = session.text('state') as 'active' | undefined;
    const named = session.text('organization') !== undefined;
    const ids = named ? [await resolveOrganization(session)] : (await api.me.get()).organizations.map(({ id }) => id);
    for (const organization_id of ids) yield* api.projects.list({ organization_id, state });
  },
  columns,
  'There are no projects yet. gpuaas project create creates one.',
);

/** Stored with the profile, so that later commands use this project. */
export const projectUse: Run = async (session) => {
  const api = await session.api();
  const project = await api.projects.get({ project_id: await resolveProjectNamed(session, session.arg(0)) });
  await keepProfile({ ...(await session.profile()), project: project.id }, session.around.env);
  if (formatOf(session) === 'table') session.say(`Commands now use ${plain(project.name)} (${project.slug}).`);
  else showOne(session, project, columns);
  return exitCodes.ok;
};
