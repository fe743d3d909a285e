import type { ErrorCode, Route, TenantRole } from '@gpuaas/contract';
import { makeFresh } from '../../kernel/access/fresh.ts';
import { type Database, type Mounted, type ReadTx, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Policies } from '../policy/index.ts';
import * as departments from './departments.ts';
import { freshMs, maxKnown } from './facts.ts';
import * as invitations from './invitations/invitations.ts';
import { findInvitationToMail, hasInvitation, type InvitationToMail } from './invitations/invitations-store.ts';
import * as me from './me.ts';
import * as members from './members.ts';
import { findRoles } from './members-store.ts';
import * as operators from './operators.ts';
import * as organizations from './organizations.ts';
import { foundPersonalOrganization } from './personal.ts';
import * as projectMembers from './project-members.ts';
import * as projects from './projects.ts';
import { higher } from './roles.ts';
import { makeRemoveProject, type Resident } from './sagas/remove-project.ts';
import { findProjectOwner, organizationExists } from './store.ts';

/** Tenancy: organizations, who belongs to them, and the projects that own everything else. */
export { makeInvitationExpiry } from './invitations/invitation-expiry.ts';
export { makeTenancyListeners } from './on-events.ts';
export interface Tenancy {
  readonly routes: readonly Mounted[];
  /**
   * The role of a person in an organization, or nothing; in a project of it, the higher of the two roles. A change is
   * pushed to every process, and seen within five seconds even where the push is lost.
   */
  role(personId: string, organizationId: string, projectId?: string): Promise<TenantRole | undefined>;
  /** Whether an organization has invited this address. Never revealed to the caller. */
  isInvited(email: string): Promise<boolean>;
  readonly owners: Readonly<Record<'organization_id' | 'project_id', Owner>>;
  close(): Promise<void>;
}
interface Owner {
  readonly absent: ErrorCode;
  find(id: string): Promise<{ readonly organizationId: string; readonly projectId: string | undefined } | undefined>;
}

export const tenancyChannel = 'gpuaas_tenancy';

export async function openTenancy(parts: {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly region: string;
  readonly policies: Policies;
  /** The routes of this installation. */
  readonly offered: readonly Route[];
  /** Where letters are sent: what the token of an invitation follows from. */
  readonly invitationSecret?: invitations.InvitationSecret | undefined;
  readonly listen: (channel: string, listener: () => void) => Promise<{ close(): Promise<void> }>;
  readonly notify: (channel: string) => void;
}): Promise<Tenancy> {
  const { db, ids } = parts;
  const fresh = { clock: parts.clock, ttlMs: freshMs, max: maxKnown };
  const roles = makeFresh<string, TenantRole | undefined>(fresh);
  const organizationsKnown = makeFresh<string, boolean>(fresh);
  const projectsKnown = makeFresh<string, string | undefined>(fresh);
  // Whose something is must be found before anyone's walls can be put up, so the look-up itself sees over them.
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    db.read(systemViewer('tenancy', { correlationId: ids.next() }), work);

  const forget = () => {
    roles.forget();
    organizationsKnown.forget();
    projectsKnown.forget();
  };
  const listening = await parts.listen(tenancyChannel, forget);
  const bound = {
    ...parts,
    invitationSecret: parts.invitationSecret,
    // The caller sees the change with the next request; other processes as soon as they are notified.
    changed: () => {
      forget();
      parts.notify(tenancyChannel);
    },
  };

  return {
    routes: [
      ...[
        organizations.create,
        organizations.list,
        organizations.get,
        organizations.update,
        organizations.remove,
        departments.list,
        departments.create,
        departments.update,
        members.list,
        members.update,
        members.remove,
        members.leave,
        projectMembers.list,
        projectMembers.set,
        projectMembers.remove,
        invitations.create,
        invitations.list,
        invitations.revoke,
        invitations.accept,
        me.get,
        me.update,
        me.getDefault,
        me.setDefault,
        projects.create,
        projects.list,
        projects.get,
        projects.update,
        projects.archive,
        projects.restore,
        projects.remove,
        operators.list,
        operators.get,
      ].map((bind) => bind(bound)),
    ],
    role: (personId, organizationId, projectId) =>
      roles.get(`${personId} ${organizationId} ${projectId ?? ''}`, async () => {
        const found = await look((tx) => findRoles(tx, personId, organizationId, projectId));
        return found && higher(found.role, found.project_role);
      }),
    isInvited: (email) => look((tx) => hasInvitation(tx, email)),
    owners: {
      organization_id: {
        absent: 'organization_not_found',
        find: async (id) =>
          (await organizationsKnown.get(id, async () => (await look((tx) => organizationExists(tx, id))) !== undefined))
            ? { organizationId: id, projectId: undefined }
            : undefined,
      },
      project_id: {
        absent: 'project_not_found',
        find: async (id) => {
          const owner = await projectsKnown.get(
            id,
            async () => (await look((tx) => findProjectOwner(tx, id)))?.organization_id,
          );
          return owner ? { organizationId: owner, projectId: id } : undefined;
        },
      },
    },
    close: () => listening.close(),
  };
}

/** The api, which creates invitations, and the email-worker derive the same secret from the same key. */
export const secretOfInvitations =
  (seal: { digest(purpose: string, value: string): Buffer }): invitations.InvitationSecret =>
  (id) =>
    seal.digest('invitation', id).toString('hex');

/** The same under every key, the current one first: for a letter about an invitation from before a key was replaced. */
export const secretsOfInvitations =
  (seal: { digests(purpose: string, value: string): Buffer[] }) =>
  (id: string): string[] =>
    seal.digests('invitation', id).map((digest) => digest.toString('hex'));

/** An invitation that can be accepted now with the token that follows from its id, for the letter that carries it. */
export const makeInvitationLetters =
  (parts: {
    readonly db: Database;
    readonly clock: Clock;
    readonly secrets: (id: string) => readonly string[];
  }): FindInvitation =>
  async (id, correlationId) => {
    const found = await parts.db.read(systemViewer('tenancy', { correlationId }), (tx) => findInvitationToMail(tx, id));
    if (found?.state !== 'pending' || found.expires_at <= parts.clock.now()) return undefined;
    // One that was made under a key that is gone has a token that only its maker was shown.
    const token = parts
      .secrets(id)
      .map(invitations.invitationToken)
      .find((each) => invitations.hashed(each) === found.token_hash);
    return token === undefined ? undefined : { ...found, token };
  };
export type FindInvitation = (
  id: string,
  correlationId: string,
) => Promise<(InvitationToMail & { readonly token: string }) | undefined>;

export { foundPersonalOrganization, makeRemoveProject, type Resident };
