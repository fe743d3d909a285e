import { expectOk, send } from '../call.ts';
import type { Command } from '../command.ts';
import { readToken } from '../credentials.ts';
import { exitCodes } from '../failure.ts';
import { readProfile } from '../profile.ts';

export const command: Command = {
  usage: '',
  description: 'Show who is signed in, and what they belong to.',
  options: {},
  help: [],
  examples: ['gpuaas whoami', 'gpuaas whoami --json'],
  async run(given, { env, stdout }) {
    const profile = await readProfile(given, env);
    const token = await readToken(profile, env);
    const { body, text } = await expectOk(
      send(`${profile.baseUrl}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } }),
    );
    if (given.values['json']) {
      stdout.write(`${text}\n`);
      return exitCodes.ok;
    }
    const { id, posix, platform_roles, organizations } = body as {
      id: string;
      posix: { username: string };
      platform_roles: string[];
      organizations: { name: string; slug: string; role: string }[];
    };
    stdout.write(`${posix.username} (${id}) at ${profile.baseUrl}\n`);
    if (platform_roles.length > 0) stdout.write(`  platform  ${platform_roles.join(', ')}\n`);
    for (const { name, slug, role } of organizations) stdout.write(`  ${role.padEnd(8)}  ${name} (${slug})\n`);
    return exitCodes.ok;
  },
};
