import type { Me, Project } from '@gpuaas/sdk';
import { createContext, useContext } from 'react';

/** Who is here, and which project they look at. */
export interface Session {
  readonly me: Me;
  readonly projects: readonly Project[];
  /** Undefined for somebody who belongs to no project yet. */
  readonly project: Project | undefined;
  choose(projectId: string): void;
}

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('A page is shown outside of the shell.');
  return session;
}

type Role = 'viewer' | 'member' | 'admin' | 'owner';
const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2, owner: 3 };

/** The server decides; this only keeps a page from offering what would be refused. */
export function hasRole(session: Session, least: Role): boolean {
  const organization = session.me.organizations.find(({ id }) => id === session.project?.organization_id);
  return organization !== undefined && ranks[organization.role] >= ranks[least];
}
export const isOperator = ({ me }: Session): boolean => me.platform_roles.some((role) => role !== 'platform_finance');
