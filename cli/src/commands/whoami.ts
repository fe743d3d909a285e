import type { Me } from '@gpuaas/sdk';
import type { Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { formatOf, showOne } from '../show/output.ts';
import { plain } from '../show/value.ts';

/** The display name with the name on hosts, or the latter alone. */
export const nameOf = ({ display_name, posix }: Pick<Me, 'display_name' | 'posix'>): string =>
  display_name ? `${plain(display_name)}, ${posix.username}` : posix.username;

export const whoami: Run = async (session) => {
  const me = await (await session.api()).me.get();
  if (formatOf(session) !== 'table') {
    showOne(session, me, ['id']);
    return exitCodes.ok;
  }
  const { stdout } = session.around;
  stdout.write(`${nameOf(me)} (${me.id}) at ${(await session.profile()).baseUrl}\n`);
  if (me.platform_roles.length > 0) stdout.write(`  platform  ${me.platform_roles.join(', ')}\n`);
  for (const { name, slug, role } of me.organizations) stdout.write(`  ${role.padEnd(8)}  ${plain(name)} (${slug})\n`);
  return exitCodes.ok;
};
