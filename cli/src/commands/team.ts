import { confirm } from '../ask.ts';
import type { Run } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { listing, needed, oneOf, over, showing } from '../listing.ts';
import { keepProfile } from '../profile.ts';
import { resolveOrganization, resolveProject } from '../resolve.ts';
import { formatOf, showOne } from '../show/output.ts';
import { plain } from '../show/value.ts';

const roles = ['owner', 'admin', 'member', 'viewer'] as const;
const projectColumns = ['id', 'slug', 'name', 'state', 'organization_id', 'created_at'];

export const projectList = listing(
  async function* (api) {
    for (const { id } of (await api.me.get()).organizations) yield* api.projects.list({ organization_id: id });
  },
  projectColumns,
  'There are no projects yet. gpuaas project create makes one.',
);
export const projectCreate = showing(async (api, session) => {
  const name = session.arg(0);
  const slug = session.text('slug') ?? slugOf(name);
  return api.projects.create({ organization_id: await resolveOrganization(session), name, slug });
}, projectColumns);

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63) || 'project';

/** Kept with the profile, so that every later command is about this project. */
export const projectUse: Run = async (session) => {
  const asked = session.arg(0);
  const chosen = { ...session, text: (flag: string) => (flag === 'project' ? asked : session.text(flag)) };
  const api = await session.api();
  const project = await api.projects.get({ project_id: await resolveProject(chosen) });
  await keepProfile({ ...(await session.profile()), project: project.id }, session.around.env);
  if (formatOf(session) === 'table') session.say(`From now on it is about ${plain(project.name)} (${project.slug}).`);
  else showOne(session, project, projectColumns);
  return exitCodes.ok;
};

const memberColumns = ['user_id', 'username', 'role', 'created_at'];
export const memberList = listing(
  (api, session) =>
    session.text('project') === undefined
      ? over(resolveOrganization(session), (organization_id) => api.members.list({ organization_id }))
      : over(session.project(), (project_id) => api.members.projectList({ project_id })),
  memberColumns,
  'Nobody is a member.',
);
/** Somebody with an address is invited to the organization; somebody who is there already gets a role in a project. */
export const memberAdd = showing(
  async (api, session) => {
    const who = session.arg(0);
    const role = oneOf(session, 'role', roles) ?? 'member';
    if (who.includes('@')) {
      return api.members.invitationCreate({ organization_id: await resolveOrganization(session), email: who, role });
    }
    return api.members.projectSet({ project_id: await session.project(), user_id: who, role });
  },
  ['id', 'email', 'user_id', 'username', 'role', 'state', 'expires_at'],
);
export const memberRemove = showing(async (api, session) => {
  const user_id = session.arg(0);
  await confirm(session, `Remove ${user_id}?`);
  return session.text('project') === undefined
    ? api.members.remove({ organization_id: await resolveOrganization(session), user_id })
    : api.members.projectRemove({ project_id: await session.project(), user_id });
}, memberColumns);

const tokenColumns = ['id', 'name', 'prefix', 'scopes', 'expires_at', 'last_used_at', 'revoked_at'];
export const tokenList = listing((api) => api.personalTokens.list(), tokenColumns, 'There are no tokens.');
export const tokenCreate: Run = async (session) => {
  const api = await session.api();
  const days = Number(session.text('days') ?? '30');
  if (!Number.isInteger(days) || days < 1) throw usageFailure('--days is a number of days.');
  type Scopes = Parameters<typeof api.personalTokens.create>[0]['scopes'];
  const scopes = needed(session, 'scopes').split(',') as unknown as Scopes;
  const made = await api.personalTokens.create({ name: session.arg(0), expires_in_days: days, scopes });
  if (formatOf(session) === 'table') {
    session.around.stdout.write(`${made.token}\n`);
    session.say('Keep it now: it is shown this once.');
  } else {
    showOne(session, made, tokenColumns);
  }
  return exitCodes.ok;
};
export const tokenRemove = showing(async (api, session) => {
  await confirm(session, `Revoke the token ${session.arg(0)}?`);
  return api.personalTokens.revoke({ token_id: session.arg(0) });
}, tokenColumns);

const accountColumns = ['id', 'slug', 'name', 'state', 'scope', 'scopes', 'created_at'];
const byId = (session: { arg(index: number): string }) => ({ service_account_id: session.arg(0) });
export const accountList = listing(
  (api, session) => over(session.project(), (project_id) => api.serviceAccounts.list({ project_id })),
  accountColumns,
  'There are no service accounts.',
);
export const accountGet = showing((api, session) => api.serviceAccounts.get(byId(session)), accountColumns);
export const accountCreate = showing(async (api, session) => {
  type Scopes = Parameters<typeof api.serviceAccounts.create>[0]['scopes'];
  const name = session.arg(0);
  const scopes = needed(session, 'scopes').split(',') as unknown as Scopes;
  return api.serviceAccounts.create({ project_id: await session.project(), name, slug: slugOf(name), scopes });
}, accountColumns);
export const accountDisable = showing((api, session) => api.serviceAccounts.disable(byId(session)), accountColumns);
export const accountEnable = showing((api, session) => api.serviceAccounts.enable(byId(session)), accountColumns);
export const accountRemove = showing(async (api, session) => {
  await confirm(session, `Remove the service account ${session.arg(0)}?`);
  return api.serviceAccounts.remove(byId(session));
}, accountColumns);

const keyColumns = ['id', 'name', 'expires_at', 'last_used_at', 'revoked_at'];
export const accountKeys = listing(
  (api, session) => api.serviceAccounts.keyList(byId(session)),
  keyColumns,
  'It has no keys.',
);
/** The private half is in this answer and nowhere else, so it is answered as it is. */
export const accountKeyAdd: Run = async (session) => {
  const days = Number(session.text('days') ?? '90');
  if (!Number.isInteger(days) || days < 1) throw usageFailure('--days is a number of days.');
  const name = session.arg(1);
  if (name === '') throw new Failure(exitCodes.client, 'A key needs a name.', { next: 'gpuaas sa key-add --help' });
  const api = await session.api();
  const made = await api.serviceAccounts.keyCreate({ ...byId(session), name, expires_in_days: days });
  session.around.stdout.write(`${JSON.stringify(made, undefined, 2)}\n`);
  session.say('Keep the private key now: it is shown this once.');
  return exitCodes.ok;
};
export const accountKeyRemove = showing(
  (api, session) => api.serviceAccounts.keyRevoke({ ...byId(session), key_id: session.arg(1) }),
  keyColumns,
);
