import { randomUUID } from 'node:crypto';
import { send } from '../call.ts';
import type { Command } from '../command.ts';
import { forgetCredential } from '../credentials.ts';
import { exitCodes } from '../failure.ts';
import { readProfile } from '../profile.ts';

export const command: Command = {
  usage: '',
  description: 'Sign out: end the session on the server and forget what was kept here.',
  options: {},
  help: [],
  examples: ['gpuaas logout', 'gpuaas logout --profile work'],
  async run(given, { env, stdout, stderr }) {
    const profile = await readProfile(given, env);
    const credential = await forgetCredential(profile, env);
    if (!credential) {
      stdout.write('You were not signed in.\n');
      return exitCodes.ok;
    }
    // A token that somebody made is ended where it was made; a sign-in is ended here.
    if (credential.kind === 'sign_in') {
      const told = await Promise.allSettled([
        send(`${profile.baseUrl}/api/v1/me/sessions/current`, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${credential.access_token}`, 'idempotency-key': randomUUID() },
        }),
        ...(credential.revocation_endpoint && credential.refresh_token
          ? [
              send(credential.revocation_endpoint, {
                method: 'POST',
                body: new URLSearchParams({ client_id: credential.client_id, token: credential.refresh_token }),
              }),
            ]
          : []),
      ]);
      if (told.some(({ status }) => status === 'rejected')) {
        stderr.write('The server could not be told; the session ends there by itself.\n');
      }
    }
    stdout.write(`Signed out of ${profile.baseUrl}.\n`);
    return exitCodes.ok;
  },
};
