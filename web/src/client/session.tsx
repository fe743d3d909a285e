import type { Me, OperationId, Project } from '@gpuaas/sdk';
import { createContext, useContext } from 'react';

/** The signed-in person and the selected project. */
export interface Session {
  readonly me: Me;
  readonly projects: readonly Project[];
  /** Undefined for a person without a project. */
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

/** The session, or undefined while the shell loads it or cannot: a problem may have to be shown before there is one. */
export const useSessionIfAny = (): Session | undefined => useContext(SessionContext);

/** Whether this person may call an operation. The server sends the list with the session; no page repeats its rules. */
export const may = (session: Session, operation: OperationId): boolean =>
  mayIn(session, session.project?.organization_id, operation);
/** The same about an organization that need not be the selected project's. */
export function mayIn(
  { me }: Pick<Session, 'me'>,
  organizationId: string | undefined,
  operation: OperationId,
): boolean {
  const role = me.organizations.find(({ id }) => id === organizationId)?.role;
  return me.permissions.some(
    (each) =>
      (each.role === 'self' || each.role === 'platform' || each.role === role) && each.operations.includes(operation),
  );
}
export function useMay(): (operation: OperationId) => boolean {
  const session = useSession();
  return (operation) => may(session, operation);
}
