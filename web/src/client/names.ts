import type { Activity, Member } from '@gpuaas/sdk';
import { api } from './api.ts';
import { useAsk } from './ask.ts';
import { may, useSession } from './session.tsx';

/** The display name of a person, or their name on hosts. */
export const callName = ({ display_name, username }: Pick<Member, 'display_name' | 'username'>): string =>
  display_name ?? username;

/** Events report changes, so names are not refetched on every page. */
const freshMs = 300_000;

/** The names behind ids: the people of the organization, and the programs of the project. */
export function useNames(): (id: string) => string {
  const session = useSession();
  const organization_id = session.project?.organization_id ?? '';
  const project_id = session.project?.id ?? '';
  const members = useAsk(
    ['members', 'names', organization_id],
    (options) => api.members.list({ organization_id, limit: 200 }, options),
    { enabled: organization_id !== '' && may(session, 'member_list'), freshMs },
  );
  const programs = useAsk(
    ['service-accounts', 'names'],
    (options) => api.serviceAccounts.list({ project_id, limit: 200 }, options),
    { enabled: project_id !== '' && may(session, 'service_account_list'), freshMs },
  );
  const names = new Map([
    ...(programs.data?.data.map(({ id, name }) => [id, name] as const) ?? []),
    ...(members.data?.data.map((member) => [member.user_id, callName(member)] as const) ?? []),
  ]);
  return (id) => (id === session.me.id ? 'You' : (names.get(id) ?? 'A former member'));
}

/** The actor of an audit entry. */
export const actorName = (
  { actor_id, actor_name, actor_role }: Pick<Activity, 'actor_id' | 'actor_name' | 'actor_role'>,
  me: string,
): string => (actor_id === me ? 'You' : (actor_name ?? (actor_role === 'system' ? 'The platform' : 'A former member')));
