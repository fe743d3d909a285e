import type { ErrorCode, Route, TenantRole } from '@gpuaas/contract';
import { type Database, type Mounted, systemViewer } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Policies } from '../policy/index.ts';
import { makeKnownTenants } from './access/known.ts';
import * as invitations from './invitations/invitations-routes.ts';
import { findInvitationToMail, hasInvitation, type InvitationToMail } from './invitations/invitations-store.ts';
import { foundPersonalOrganization } from './personal.ts';
import { tenancyRoutes } from './routes.ts';
import { makeRemoveProject, type Resident } from './sagas/remove-project.ts';

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
  const known = makeKnownTenants(parts);
  const listening = await parts.listen(tenancyChannel, known.forget);
  return {
    routes: tenancyRoutes({
      ...parts,
      invitationSecret: parts.invitationSecret,
      // The caller sees the change with the next request; other processes as soon as they are notified.
      changed: () => {
        known.forget();
        parts.notify(tenancyChannel);
      },
    }),
    role: known.role,
    isInvited: (email) => known.look((tx) => hasInvitation(tx, email)),
    owners: {
      organization_id: {
        absent: 'organization_not_found',
        find: async (id) =>
          (await known.hasOrganization(id)) ? { organizationId: id, projectId: undefined } : undefined,
      },
      project_id: {
        absent: 'project_not_found',
        find: async (id) => {
          const owner = await known.ownerOfProject(id);
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
