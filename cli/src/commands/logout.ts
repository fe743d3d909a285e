import { forgetCredential } from '../account/credentials.ts';
import { openClient } from '../account/session.ts';
import { send } from '../call.ts';
import type { Run } from '../command.ts';
import { exitCodes } from '../failure.ts';

export const logout: Run = async (session) => {
  const { env, stdout, stderr } = session.around;
  const profile = await session.profile();
  const credential = await forgetCredential(profile, env);
  if (!credential) {
    stdout.write('You were not signed in.\n');
    return exitCodes.ok;
  }
  // A personal token is revoked where it was created; a sign-in is ended here.
  if (credential.kind === 'sign_in') {
    const revocations = await Promise.allSettled([
      openClient(session, profile, credential.access_token).sessions.revoke({ session_id: 'current' }),
      ...(credential.revocation_endpoint && credential.refresh_token
        ? [
            send(credential.revocation_endpoint, {
              method: 'POST',
              body: new URLSearchParams({ client_id: credential.client_id, token: credential.refresh_token }),
            }),
          ]
        : []),
    ]);
    if (revocations.some(({ status }) => status === 'rejected')) {
      stderr.write('Could not reach the server; the session expires there by itself.\n');
    }
  }
  stdout.write(`Signed out of ${profile.baseUrl}.\n`);
  return exitCodes.ok;
};
