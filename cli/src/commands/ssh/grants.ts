import type { Run, Session } from '../../command.ts';
import { exitCodes, Failure } from '../../failure.ts';
import { readLength } from '../../input/read-input.ts';
import { resolveAllocation } from '../../resolve.ts';
import { showOne } from '../../show/output.ts';

const grantColumns = ['id', 'user_id', 'state', 'expires_at', 'ssh_key_id', 'reason'];

const endsAt = (session: Session): string => {
  const now = session.around.parts?.now?.() ?? Date.now();
  return new Date(now + readLength(session.text('for') ?? '4h', '--for') * 1_000).toISOString();
};

/** Lets another member work in an allocation until a time. */
export const grant: Run = async (session) => {
  const api = await session.api();
  const allocation_id = await resolveAllocation(session);
  const { organization_id } = await api.allocations.get({ allocation_id });
  const user_id = await findMember(session, organization_id, session.arg(1));
  const [reason, ssh_key_id] = [session.text('reason'), session.text('key')];
  const made = await api.allocations.accessGrantCreate({
    ...{ allocation_id, user_id, expires_at: endsAt(session) },
    ...(reason !== undefined && { reason }),
    ...(ssh_key_id !== undefined && { ssh_key_id }),
  });
  showOne(session, made, grantColumns);
  return exitCodes.ok;
};

export const extend: Run = async (session) => {
  const allocation_id = await resolveAllocation(session);
  const moved = await (await session.api()).allocations.accessGrantUpdate({
    ...{ allocation_id, access_grant_id: session.arg(1), expires_at: endsAt(session) },
  });
  showOne(session, moved, grantColumns);
  return exitCodes.ok;
};

/** A member, by id, user name or display name. */
async function findMember(session: Session, organizationId: string, text: string): Promise<string> {
  const api = await session.api();
  const found: string[] = [];
  for await (const one of api.members.list({ organization_id: organizationId, limit: 200 })) {
    if ([one.user_id, one.username, one.display_name].includes(text)) found.push(one.user_id);
  }
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  throw new Failure(
    exitCodes.notFound,
    only === undefined ? `No member is called ${text}.` : `Several members are called ${text}.`,
    { next: 'gpuaas member list shows their ids.' },
  );
}
