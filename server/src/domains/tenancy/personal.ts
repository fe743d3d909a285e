import { type DeclaredEvent, organizationCreated } from '@gpuaas/contract';
import type { WriteTx } from '../../kernel/act.ts';
import { joinMember } from './members-store.ts';
import { insertOrganization } from './store.ts';

/**
 * A person who signs in for the first time owns one personal organization, and belongs to no other until invited. It is
 * created in the transaction that creates the person.
 */
export async function foundPersonalOrganization(
  tx: WriteTx,
  personId: string,
  id: string,
): Promise<{ readonly organizationId: string; readonly events: readonly DeclaredEvent[] }> {
  // The last group of a UUIDv7 is random, the first ones are the time.
  const slug = `personal-${id.slice(id.lastIndexOf('-') + 1)}`;
  const name = 'Personal';
  const row = await insertOrganization(tx, { id, type: 'personal', name, slug, currency: 'USD' });
  if (!row) throw new Error('the slug of a personal organization is taken');
  await joinMember(tx, personId, id, 'owner');
  return { organizationId: id, events: [organizationCreated.of(id, { organization_id: id, name, slug })] };
}
