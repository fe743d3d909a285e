import { join } from 'node:path';
import { GpuaasError } from '@gpuaas/sdk';
import type { Session } from './command.ts';
import { exitCodes, Failure } from './failure.ts';
import { readJson, stateFolder, writeJson } from './input/files.ts';
import { settingOf } from './setting.ts';
import { showTime } from './show/value.ts';

/** Resolves names and slugs to ids. */

export const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

export async function resolveProjectNamed(session: Session, asked: string): Promise<string> {
  if (isId(asked)) return asked;
  const api = await session.api();
  for (const { id } of (await api.me.get()).organizations) {
    for await (const project of api.projects.list({ organization_id: id })) {
      if (project.slug === asked || project.name === asked) return project.id;
    }
  }
  throw new Failure(exitCodes.notFound, `There is no project ${JSON.stringify(asked)}.`, {
    next: 'gpuaas project list shows yours.',
  });
}

export async function resolveProject(session: Session): Promise<string> {
  const kept = { value: (await session.profile()).project, from: 'profile' };
  const { value: asked } = settingOf(session, 'project', kept);
  if (asked !== undefined) return resolveProjectNamed(session, asked);
  const api = await session.api();
  const { default_project_id: own, organizations } = await api.me.get();
  if (own !== null) return own;
  // A person with one project means that one.
  const found: string[] = [];
  for (const { id } of organizations) {
    for await (const project of api.projects.list({ organization_id: id, state: 'active' })) found.push(project.id);
  }
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  throw new Failure(exitCodes.usage, 'No project is selected.', {
    next:
      only === undefined
        ? 'Create one with gpuaas project create NAME.'
        : 'Choose one with gpuaas project use SLUG, or give it with -p.',
  });
}

/** The organization: the only one, the named one, or that of the project. */
export async function resolveOrganization(session: Session, asked = session.text('organization')): Promise<string> {
  if (asked !== undefined && isId(asked)) return asked;
  const api = await session.api();
  const { organizations } = await api.me.get();
  if (asked !== undefined) {
    const found = organizations.find(({ id, slug }) => id === asked || slug === asked);
    if (found) return found.id;
    throw new Failure(exitCodes.notFound, `You are not in the organization ${JSON.stringify(asked)}.`, {
      next: 'gpuaas whoami shows yours.',
    });
  }
  const [only, another] = organizations;
  if (only && !another) return only.id;
  return (await api.projects.get({ project_id: await session.project() })).organization_id;
}

/** The id of an app that the project finds, by its publisher and slug. */
export async function resolveApp(session: Session, text: string): Promise<string> {
  if (isId(text)) return text;
  const api = await session.api();
  for await (const { id, reference } of api.apps.catalogList({ limit: 200 }, { project: await session.project() })) {
    if (reference === text) return id;
  }
  throw new Failure(exitCodes.notFound, `This project finds no app ${JSON.stringify(text)}.`, {
    next: 'gpuaas app catalog shows the apps that it finds, as publisher/slug.',
  });
}

/** The id of any organization, by its slug, for finance. */
export async function resolveAccount(session: Session, text: string): Promise<string> {
  if (isId(text)) return text;
  for await (const { organization_id, slug } of (await session.api()).adminBilling.accountList({ q: text })) {
    if (slug === text) return organization_id;
  }
  throw new Failure(exitCodes.notFound, `There is no organization ${JSON.stringify(text)}.`, {
    next: 'gpuaas ops billing accounts shows slugs and ids.',
  });
}

const lastPath = (session: Session) => join(stateFolder(session.around.env), 'last.json');
const remembered = 20;
interface Last {
  readonly allocations?: readonly string[];
}

/** Remembered for `@last`. A failed write is ignored. */
export async function rememberLast(session: Session, id: string): Promise<void> {
  const before = (await readJson<Last>(lastPath(session)).catch(() => undefined))?.allocations ?? [];
  const allocations = [id, ...before.filter((each) => each !== id)].slice(0, remembered);
  await writeJson(lastPath(session), { allocations }).catch(() => undefined);
}

/** By id, by name, or by launch order: `@last` or `@1` for the latest, `@2` for the one before. */
export async function resolveAllocation(session: Session, text = session.arg(0)): Promise<string> {
  const [, back] = /^@(last|\d{1,2})$/.exec(text) ?? [];
  if (back !== undefined) {
    const launched = (await readJson<Last>(lastPath(session)))?.allocations ?? [];
    const found = launched[back === 'last' ? 0 : Number(back) - 1];
    if (found !== undefined) return found;
    throw new Failure(
      exitCodes.notFound,
      launched.length === 0 ? 'Nothing was launched from here yet.' : 'Fewer allocations were launched from here.',
      {
        next: 'gpuaas alloc list shows the running ones.',
      },
    );
  }
  if (isId(text)) return text;
  const api = await session.api();
  const all: Named[] = [];
  for await (const each of api.allocations.list({ limit: 200, q: text }, { project: await session.project() })) {
    if (each.name === text) all.push(each);
  }
  return onlyNamed(text, all);
}

interface Named {
  readonly id: string;
  readonly state: string;
  readonly created_at: string;
  readonly ended_at: string | null;
}
/** The allocation of a name: a live one before ended ones. */
export function onlyNamed(name: string, all: readonly Named[]): string {
  const living = all.filter(({ ended_at }) => ended_at === null);
  const meant = living.length > 0 ? living : all;
  const [only, another] = meant;
  if (only && !another) return only.id;
  if (!only) {
    throw new Failure(exitCodes.notFound, `No allocation named ${JSON.stringify(name)}.`, {
      next: 'gpuaas alloc list shows names and ids.',
    });
  }
  const lines = meant.map(({ id, state, created_at }) => `\n  ${id}  ${state}, created ${showTime(created_at)}`);
  throw new Failure(
    exitCodes.conflict,
    `${meant.length} allocations are named ${JSON.stringify(name)}:${lines.join('')}`,
    {
      next: 'Use the id of one of them.',
    },
  );
}

interface KeyOnList {
  readonly id: string;
  readonly name: string;
  readonly fingerprint: string;
}

/** The person's own SSH keys, and those of the project. */
async function listSshKeys(session: Session): Promise<readonly KeyOnList[]> {
  const api = await session.api();
  const all: KeyOnList[] = [];
  for await (const key of api.sshKeys.list()) all.push(key);
  for await (const key of api.sshKeys.projectList({}, { project: await session.project() })) all.push(key);
  return all;
}

/** The word that stands for no key. */
const noKey = 'none';

/**
 * The SSH keys of a new machine: the named ones, none on request, or all that the person and the project have, as in the
 * console. A token that may not read keys installs none.
 */
export async function keysForLaunch(
  session: Session,
): Promise<{ readonly ids: readonly string[]; readonly said: string }> {
  const wanted = session
    .list('ssh-key')
    .flatMap((each) => each.split(','))
    .map((each) => each.trim());
  const without = 'none; gpuaas terminal opens a shell without one';
  if (wanted.length === 1 && wanted[0] === noKey) return { ids: [], said: without };
  if (wanted.length > 0) return { ids: await resolveSshKeys(session, wanted), said: wanted.join(', ') };
  try {
    const all = await listSshKeys(session);
    if (all.length === 0) return { ids: [], said: 'none: add one with gpuaas key add to sign in by SSH' };
    return { ids: all.map(({ id }) => id), said: all.map(({ name }) => name).join(', ') };
  } catch (error) {
    if (error instanceof GpuaasError && error.status === forbidden) return { ids: [], said: without };
    throw error;
  }
}
const forbidden = 403;

/** Keys by id, name or fingerprint: the person's own, and those of the project. */
export async function resolveSshKeys(session: Session, wanted: readonly string[]): Promise<readonly string[]> {
  if (wanted.every(isId)) return wanted;
  const all = await listSshKeys(session);
  return wanted.map((text) => {
    const found = all.find(({ id, name, fingerprint }) => [id, name, fingerprint].includes(text));
    if (found) return found.id;
    throw new Failure(exitCodes.notFound, `There is no SSH key ${JSON.stringify(text)}.`, {
      next: 'gpuaas key list shows them; gpuaas key add FILE adds one.',
    });
  });
}

export async function resolveNode(session: Session, text = session.arg(0)): Promise<string> {
  if (isId(text)) return text;
  for await (const { id, name } of (await session.api()).adminNodes.list({ limit: 200, q: text }))
    if (name === text) return id;
  throw new Failure(exitCodes.notFound, `There is no node ${JSON.stringify(text)}.`, { next: 'gpuaas ops node list' });
}

export async function resolveGroup(session: Session, text: string): Promise<string> {
  if (isId(text)) return text;
  const api = await session.api();
  const found: string[] = [];
  for await (const { id, name } of api.allocationGroups.list({ limit: 200 }, { project: await session.project() })) {
    if (name === text) found.push(id);
  }
  const [only, another] = found;
  if (only !== undefined && another === undefined) return only;
  throw new Failure(
    only === undefined ? exitCodes.notFound : exitCodes.conflict,
    only === undefined ? `No group is named ${JSON.stringify(text)}.` : `${found.length} groups have this name.`,
    { next: 'gpuaas group list shows names and ids.' },
  );
}

export async function resolveSlot(session: Session, node_id: string, text: string): Promise<string> {
  if (isId(text)) return text;
  const { data } = await (await session.api()).adminNodes.resourceSlotList({ node_id });
  const slot = data.find(({ slot_index }) => String(slot_index) === text);
  if (slot) return slot.id;
  throw new Failure(exitCodes.notFound, `It has no slot ${JSON.stringify(text)}.`, {
    next: `gpuaas ops slots list ${session.arg(0)}`,
  });
}
